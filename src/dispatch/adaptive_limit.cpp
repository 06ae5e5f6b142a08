#include "dispatch/adaptive_limit.hpp"

#include <algorithm>

namespace leasebox::dispatch {
namespace {

constexpr double failure_weight = 1.0 / 8;
constexpr double failures_max = 0.25;  // one failure among successes is no trend
constexpr double failure_factor = 0.5;

constexpr double latency_weight = 1.0 / 16;
constexpr double usual_weight = 1.0 / 4096;  // what has become normal is accepted in the end
constexpr double slow_times = 8;
constexpr double slow_min = 0.1;  // below it no consumer is called slow
constexpr double latency_factor = 0.8;

}  // namespace

void adaptive_limit::succeeded(std::chrono::nanoseconds took) {
    failures_ -= failures_ * failure_weight;
    learn(took);
    if (settling_ > 0) settling_ -= 1;
    if (is_slow()) {
        shrink(latency_factor);
    } else {
        grow();
    }
}

void adaptive_limit::failed() {
    failures_ += (1 - failures_) * failure_weight;
    if (settling_ > 0) settling_ -= 1;
    if (failures_ > failures_max) shrink(failure_factor);
}

void adaptive_limit::restart() {
    if (!adapts_) return;
    limit_ = 1;
    slow_start_ = true;
    failures_ = 0;
    settling_ = 0;
}

void adaptive_limit::learn(std::chrono::nanoseconds took) {
    const double seconds = std::chrono::duration<double>(took).count();
    if (!latency_) latency_ = usual_ = seconds;
    *latency_ += (seconds - *latency_) * latency_weight;
    usual_ = std::min(*latency_, usual_ + (*latency_ - usual_) * usual_weight);
}

bool adaptive_limit::is_slow() const {
    return *latency_ > slow_min && *latency_ > slow_times * usual_;
}

// Once a round: what was in flight at the change says nothing about what the change did.
void adaptive_limit::shrink(double factor) {
    if (!adapts_ || settling_ > 0) return;
    slow_start_ = false;
    settling_ = now();
    limit_ = std::max(1.0, limit_ * factor);
}

void adaptive_limit::grow() {
    limit_ = std::min<double>(most_, limit_ + (slow_start_ ? 1 : 1 / limit_));
    if (now() == most_) slow_start_ = false;
}

}  // namespace leasebox::dispatch
