// Where names wait for a thread, and coroutines for a name. Shared by the resolver and its
// threads, so that a thread that hangs may outlive the resolver.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "http/resolver.hpp"

namespace leasebox::http {

/// One coroutine that waits for a name. Used on its strand, except that the desk posts to it.
struct lookup_waiter {
    explicit lookup_waiter(boost::asio::any_io_executor strand)
        : executor(strand), parked(strand, boost::asio::steady_timer::time_point::max()) {}

    boost::asio::any_io_executor executor;
    boost::asio::steady_timer parked;  // never fires by itself; it is a way to wait
    std::optional<resolved> answer;
};

class lookup_desk : public std::enable_shared_from_this<lookup_desk> {
public:
    lookup_desk(clock& time, name_lookup lookup, resolver_limits limits)
        : clock_(&time), lookup_(std::move(lookup)), limits_(limits) {}

    /// The kept answer; else empty, and `waiter` gets the answer unless it leaves before.
    std::optional<resolved> ask(const std::string& name,
                                const std::shared_ptr<lookup_waiter>& waiter);
    /// After it nothing is posted to the waiter's executor any more.
    void leave(const std::string& name, const std::shared_ptr<lookup_waiter>& waiter) noexcept;
    /// Threads end after what they are doing; the clock is not used any more.
    void close() noexcept;

private:
    struct entry {
        resolved answer;
        std::optional<boot_time> until;  // how long the answer is kept
        milliseconds failure_kept{};     // 0 after a success
        bool asked = false;              // queued, or a thread is at it
        std::vector<std::shared_ptr<lookup_waiter>> waiters;
    };

    bool want_thread();
    void work();
    resolved look_up(const std::string& name) const noexcept;
    void keep(entry& of, resolved answer);
    void forget_old();

    std::mutex mutex_;
    std::condition_variable work_came_;
    clock* clock_;  // null after close()
    const name_lookup lookup_;
    const resolver_limits limits_;
    std::map<std::string, entry> names_;
    std::deque<std::string> queue_;
    int threads_ = 0;
    int idle_ = 0;
};

}  // namespace leasebox::http
