#include "dispatch/plan.hpp"

#include <algorithm>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;

// Between attempts to claim from a store that fails: short enough to be back soon after the
// fault is gone, long enough not to add to it.
constexpr backoff store_backoff{100ms, 5s};

// A clock that the store reads and a timer that fires a moment early must not make a busy loop.
constexpr milliseconds look_again_min{1};

step claim_step(int count, bool alone) {
    step claim;
    claim.what = step::kind::claim;
    claim.count = count;
    claim.alone = alone;
    return claim;
}

}  // namespace

void plan::slot_freed(bool left_behind) {
    if (more_ || left_behind) look_ = true;
}

void plan::due(boot_time at) {
    if (!due_at_ || at < *due_at_) due_at_ = at;
}

void plan::claimed(const claim_reply& reply, int asked, boot_time now) {
    failures_ = 0;
    retry_at_.reset();
    const int taken = static_cast<int>(reply.events.size());
    more_ = taken >= asked;
    suspect_waits_ = reply.suspect_waits;
    suspect_runs_ = std::any_of(reply.events.begin(), reply.events.end(),
                                [](const claimed_event& event) { return event.suspect; });
    due_at_.reset();
    seen_idle_ = reply.events.empty();
    if (!reply.next_due) return;
    const milliseconds left = *reply.next_due - reply.now;
    // Overdue although not taken: either the call was full, or its transaction had done enough.
    if (left <= 0ms && (!reply.events.empty() || !reply.settled.empty())) look_ = true;
    due_at_ = now + std::max(left, look_again_min);
}

void plan::claim_failed(boot_time now) {
    failures_ += 1;
    retry_at_ = now + store_backoff.bound(failures_);
    look_ = true;
}

step plan::waiting(boot_time now) const {
    step wait;
    if (due_at_ && *due_at_ > now) wait.until = due_at_;
    if (opens_at_ && (!wait.until || *opens_at_ < *wait.until)) wait.until = opens_at_;
    if (retry_at_ && *retry_at_ > now) wait.until = retry_at_;
    return wait;
}

step plan::next(int in_flight, bool can_take, boot_time now) const {
    step nothing_left;
    nothing_left.what = step::kind::drained;
    if (stopping_) return in_flight == 0 ? nothing_left : step{};
    if (retry_at_ && *retry_at_ > now) return waiting(now);
    const bool alone = in_flight == 0;
    if (suspect_runs_ || (suspect_waits_ && !alone)) return step{};
    const int count = std::min(limits_.in_flight - in_flight, limits_.claim_max);
    const bool worth_asking = look_ || suspect_waits_ || is_due(now);
    if (count > 0 && can_take && worth_asking) return claim_step(count, alone);
    if (limits_.until_idle && alone) {
        // What the last look saw coming may have been the leases of what has ended since.
        if (due_at_ && !seen_idle_ && can_take) return claim_step(count, alone);
        if (paused_ || (!worth_asking && !due_at_ && !opens_at_)) return nothing_left;
    }
    return waiting(now);
}

}  // namespace leasebox::dispatch
