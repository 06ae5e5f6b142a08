#include "leasebox/testing/scripted_sink.hpp"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <utility>

namespace leasebox::testing {

sink_step sink_step::says(outcome result, std::string detail) {
    return says(delivery(result, std::move(detail)));
}

sink_step sink_step::says(delivery answer) {
    return asks([answer = std::move(answer)](const claimed_event&) { return answer; });
}

sink_step sink_step::asks(std::function<delivery(const claimed_event&)> function) {
    sink_step step;
    step.answer_ = std::move(function);
    return step;
}

sink_step sink_step::hangs(outcome when_cancelled) {
    sink_step step = says(when_cancelled, "cancelled");
    step.hangs_ = true;
    return step;
}

sink_step sink_step::throws(std::string sentence) {
    return asks([sentence = std::move(sentence)](const claimed_event&) -> delivery {
        throw std::runtime_error(sentence);
    });
}

// Counts a delivery as in flight until its coroutine ends, however it ends.
class scripted_sink::call_guard {
public:
    explicit call_guard(scripted_sink& owner) : owner_(owner) {}
    ~call_guard() { owner_.end(); }
    call_guard(const call_guard&) = delete;
    call_guard& operator=(const call_guard&) = delete;

private:
    scripted_sink& owner_;
};

scripted_sink& scripted_sink::next(sink_step step) {
    const std::lock_guard lock(mutex_);
    for_any_.push_back(std::move(step));
    return *this;
}

scripted_sink& scripted_sink::next(const std::string& id, sink_step step) {
    const std::lock_guard lock(mutex_);
    by_id_[id].push_back(std::move(step));
    return *this;
}

scripted_sink& scripted_sink::otherwise(sink_step step) {
    const std::lock_guard lock(mutex_);
    otherwise_ = std::move(step);
    return *this;
}

boost::asio::awaitable<delivery> scripted_sink::deliver(const claimed_event& event,
                                                        boot_time deadline) {
    const sink_step step = begin(event, deadline);
    const call_guard guard(*this);
    if (step.hangs_) {
        const auto executor = co_await boost::asio::this_coro::executor;
        boost::asio::steady_timer never(executor, boost::asio::steady_timer::time_point::max());
        boost::system::error_code cancelled;
        co_await never.async_wait(
            boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
    }
    co_return step.answer_(event);
}

void scripted_sink::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
}

std::vector<sink_call> scripted_sink::calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
}

std::size_t scripted_sink::calls_of(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(),
                      [&](const sink_call& call) { return call.event.key.id == id; }));
}

int scripted_sink::in_flight() const {
    const std::lock_guard lock(mutex_);
    return in_flight_;
}

int scripted_sink::in_flight_most() const {
    const std::lock_guard lock(mutex_);
    return in_flight_most_;
}

bool scripted_sink::closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

sink_step scripted_sink::begin(const claimed_event& event, boot_time deadline) {
    const std::lock_guard lock(mutex_);
    calls_.push_back({event, deadline});
    in_flight_ += 1;
    in_flight_most_ = std::max(in_flight_most_, in_flight_);
    const auto own = by_id_.find(event.key.id);
    std::deque<sink_step>& steps =
        own != by_id_.end() && !own->second.empty() ? own->second : for_any_;
    if (steps.empty()) return otherwise_;
    sink_step step = std::move(steps.front());
    steps.pop_front();
    return step;
}

void scripted_sink::end() {
    const std::lock_guard lock(mutex_);
    in_flight_ -= 1;
}

}  // namespace leasebox::testing
