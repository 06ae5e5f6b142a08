// The store actor: the one place that talks to the store while a dispatcher runs.
//
// It drains what has arrived into one transaction (group commit) and gives out replies only after
// the commit. Reports of ended attempts never wait behind claims or appends.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dispatch/sweeper.hpp"
#include "leasebox/clock.hpp"
#include "leasebox/observer.hpp"
#include "leasebox/store.hpp"

namespace leasebox::dispatch {

struct actor_options {
    std::size_t queue_max = 16'384;  ///< operations that may wait
    std::size_t batch_max = 1'024;   ///< operations in one transaction
    milliseconds poll{50};           ///< between looks for other processes' commits
    bool own_thread = true;          ///< false: runs on the executor, for a moved clock
    std::string owner;               ///< registered, and others looked after; empty: neither
    budgets limits;                  ///< for the events of dead owners
    retention_options retention;     ///< done in between, a short transaction at a time
};

class store_actor : public std::enable_shared_from_this<store_actor> {
public:
    /// Called on the store's thread; must do no more than post somewhere else.
    using completion = std::function<void(reply)>;

    /// `executor` serves only where there is no thread of its own.
    store_actor(std::shared_ptr<store> events, clock& time, actor_options options,
                std::shared_ptr<observer> watcher, boost::asio::any_io_executor executor);
    ~store_actor();
    store_actor(const store_actor&) = delete;
    store_actor& operator=(const store_actor&) = delete;

    /// Starts serving; `somebody_committed` is called when another connection has committed.
    void start(std::function<void()> somebody_committed);

    /// Queues the operation. Fails it at once with queue_full or stopped. Never cancelled.
    void post(operation what, completion done);

    /// Serves what is queued, then ends. Later posts fail with `stopped`.
    void stop();
    /// stop(), and waits until it has ended. From one thread at a time.
    void join();

    bool answers() const;

private:
    struct pending {
        operation what;
        completion done;
    };

    void serve();
    void serve_on_executor();
    void arm_poll();
    milliseconds patience() const;
    void sweep();
    bool refuse(const operation& what, const completion& done);
    std::vector<pending> take_batch();
    void commit(std::vector<pending> batch);
    std::vector<reply> commit_operations(const std::vector<operation>& operations);
    void look_outside();
    void look_for_dead();
    void prepare();
    void note_committed(std::size_t operations, std::chrono::nanoseconds took);
    void note_pruned(const prune_result& did, std::chrono::nanoseconds took);
    void note_failed(const boost::system::error_code& code, const std::string& sentence);
    void tell_failed(severity level, const std::string& sentence) const;
    bool empty() const { return reports_.empty() && others_.empty(); }

    const std::shared_ptr<store> store_;
    clock& clock_;
    const actor_options options_;
    const std::shared_ptr<observer> observer_;
    const boost::asio::any_io_executor executor_;
    std::function<void()> somebody_committed_;
    std::unique_ptr<timer> poll_;
    sweeper sweeper_;

    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<pending> reports_;  ///< acks and renewals
    std::deque<pending> others_;
    bool stopping_ = false;
    bool scheduled_ = false;
    bool prepared_ = false;
    boot_time look_for_dead_at_{};
    bool answers_ = true;
    std::thread thread_;
};

}  // namespace leasebox::dispatch
