// The dispatcher behind its façade: one strand's state, and the loops around the plan.
//
// claimer.cpp asks the store for events and starts their attempts, deliverer.cpp takes one event
// to its end, engine.cpp starts and stops the whole.
#pragma once

#include <boost/asio/strand.hpp>
#include <list>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "dispatch/attempt.hpp"
#include "dispatch/condition.hpp"
#include "dispatch/flow.hpp"
#include "dispatch/plan.hpp"
#include "dispatch/store_actor.hpp"
#include "leasebox/dispatcher.hpp"

namespace leasebox::dispatch {

class engine : public std::enable_shared_from_this<engine> {
public:
    /// Called once, with the outcome; posts to wherever its owner wants to know.
    using completion = std::function<void(boost::system::error_code)>;
    using append_completion = std::function<void(boost::system::error_code, receipt)>;

    engine(boost::asio::any_io_executor executor, std::shared_ptr<store> events,
           dispatcher_options options, std::shared_ptr<observer> watcher, clock& time);

    // Safe from any thread.
    void serve(std::string destination, std::shared_ptr<sink> to, destination_options how);
    void run(completion done);
    void append(draft event, append_completion done);
    void transact(std::function<void(transaction&)> function, completion done);
    void flush(completion done);
    void notify();
    void stop(stop_kind how);
    dispatcher_status status() const;
    std::map<std::string, destination_status> destinations() const;
    const std::string& owner() const noexcept { return owner_; }
    /// Stops hard and waits until the store is no longer used.
    void close();

private:
    struct destination {
        std::shared_ptr<sink> to;
        destination_options how;
        flow course;
        bool left_behind = false;  ///< the last claim did not ask for it, or took all it might
    };

    /// What the destinations can take.
    struct openings {
        bool any = false;
        bool left_behind = false;  ///< one that can take some may have something waiting
        bool rationed = false;     ///< something due may wait only for its destination's rate
        bool paused = false;       ///< all of them are
        std::optional<boot_time> next;  ///< for those that can take nothing now
    };

    // engine.cpp
    void start_actor();
    void begin(completion done);
    void soft_stop();
    void hard_stop();
    void finish(std::exception_ptr failed);
    void wake();
    void publish();
    void publish(const std::string& name, const destination& one);
    void complete_flushes(boost::system::error_code ec);
    void note(const record& what) const;
    void note_simple(occurrence what, severity level = severity::info) const;

    // claimer.cpp
    boost::asio::awaitable<void> claim_loop();
    boost::asio::awaitable<void> wait_until(std::optional<boot_time> until);
    boost::asio::awaitable<void> claim(step next);
    claim_request make_request(const step& next, boot_time now) const;
    void note_left_behind(const claim_request& asked, const claim_reply& taken);
    void take(claim_reply& taken, boot_time lease_end);
    void start(claimed_event event, boot_time lease_end);
    step next_step();
    openings look_at_destinations(boot_time now) const;
    bool is_quiet() const;
    void note_taken(const claim_reply& taken) const;

    // deliverer.cpp
    boost::asio::awaitable<void> deliver(std::shared_ptr<attempt> running,
                                         std::shared_ptr<attempt> older, boot_time lease_end,
                                         flow_ticket ticket);
    boost::asio::awaitable<delivery> send(std::shared_ptr<attempt> running,
                                          std::shared_ptr<attempt> older, boot_time lease_end);
    boost::asio::awaitable<void> settle(const claimed_event& event, const delivery& said,
                                        std::chrono::nanoseconds took);
    void expect(const claimed_event& event, const ack_request& sent, const ack_reply& reply);
    boost::asio::awaitable<void> pause(milliseconds length);
    void learn(const claimed_event& event, const delivery& said, const flow_ticket& ticket);
    void pause_gone(const claimed_event& event);
    void note_change(const claimed_event& event, breaker::change changed, const delivery& said);
    void ended(const std::shared_ptr<attempt>& running, const flow_ticket& ticket);
    void note_ack(const claimed_event& event, const delivery& said, const ack_reply& reply,
                  std::chrono::nanoseconds took) const;

    const boost::asio::strand<boost::asio::any_io_executor> strand_;
    clock& clock_;
    const dispatcher_options options_;
    const std::string owner_;
    const std::shared_ptr<observer> observer_;
    const std::shared_ptr<store_actor> actor_;

    // Used on the strand only.
    plan plan_;
    condition wake_;
    const std::unique_ptr<timer> wake_timer_;
    const std::unique_ptr<timer> drain_timer_;
    std::map<std::string, destination> destinations_;
    std::set<std::shared_ptr<attempt>> attempts_;             ///< being sent
    std::map<std::string, std::shared_ptr<attempt>> newest_;  ///< by id, until settled
    int in_flight_ = 0;
    bool begun_ = false;
    bool ended_ = false;
    bool stopping_ = false;
    bool hard_ = false;
    boot_time give_up_at_{};  ///< after a hard stop: reports that the store does not take by then
    completion run_done_;
    std::vector<completion> flushes_;
    std::mt19937_64 random_;

    mutable std::mutex mutex_;
    dispatcher_status status_;
    std::map<std::string, flow_view> views_;
    bool actor_started_ = false;
};

}  // namespace leasebox::dispatch
