// A sink that answers what a test tells it to, and remembers what it was asked.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "leasebox/sink.hpp"

namespace leasebox::testing {

/// How one delivery goes.
class sink_step {
public:
    /// Answers at once.
    static sink_step says(outcome result, std::string detail = {});
    static sink_step says(delivery answer);
    /// Answers what the function says about the event; the function may throw.
    static sink_step asks(std::function<delivery(const claimed_event&)> function);
    /// Hangs until it is cancelled, then says how far it got.
    static sink_step hangs(outcome when_cancelled = outcome::uncertain);
    /// Breaks the contract of a sink.
    static sink_step throws(std::string sentence);

private:
    friend class scripted_sink;
    sink_step() = default;

    std::function<delivery(const claimed_event&)> answer_;
    bool hangs_ = false;
};

/// One call of deliver().
struct sink_call {
    claimed_event event;
    boot_time deadline{};
};

/// Steps are taken one after the other, those of an event's id first; where none is left, the
/// sink does what otherwise() said last: it says `delivered` unless told something else.
/// Safe from any thread.
class scripted_sink final : public sink {
public:
    /// What the next delivery of any event without steps of its own does.
    scripted_sink& next(sink_step step);
    /// What the next delivery of this event does.
    scripted_sink& next(const std::string& id, sink_step step);
    scripted_sink& otherwise(sink_step step);

    boost::asio::awaitable<delivery> deliver(const claimed_event& event,
                                             boot_time deadline) override;
    void close() override;

    std::vector<sink_call> calls() const;
    std::size_t calls_of(const std::string& id) const;
    /// Deliveries that have begun and not ended, now and at most so far.
    int in_flight() const;
    int in_flight_most() const;
    bool closed() const;

private:
    class call_guard;
    sink_step begin(const claimed_event& event, boot_time deadline);
    void end();

    mutable std::mutex mutex_;
    std::map<std::string, std::deque<sink_step>> by_id_;
    std::deque<sink_step> for_any_;
    sink_step otherwise_ = sink_step::says(outcome::delivered);
    std::vector<sink_call> calls_;
    int in_flight_ = 0;
    int in_flight_most_ = 0;
    bool closed_ = false;
};

}  // namespace leasebox::testing
