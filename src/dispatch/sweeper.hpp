// The sweeper: when the store actor removes old events, and how much of its time that may take.
#pragma once

#include <algorithm>

#include "leasebox/dispatcher.hpp"

namespace leasebox::dispatch {

/// Decides only; the store actor performs. Used from the actor's thread.
class sweeper {
public:
    explicit sweeper(const retention_options& keep) {
        request_.delivered = keep.delivered;
        request_.cancelled = keep.cancelled;
        request_.dead = keep.dead;
    }

    /// Whether a step may be made now. Reports that wait come first, for a while.
    bool is_due(boot_time now, bool reports_wait) const noexcept {
        return is_on() && now >= (reports_wait ? next_ + patience : next_);
    }
    /// When one may be made; never, where everything is kept.
    std::optional<boot_time> next() const noexcept {
        return is_on() ? std::optional(next_) : std::nullopt;
    }
    const prune_request& request() const noexcept { return request_; }

    /// A step was made, in `took`. The pauses between steps leave the store to others four
    /// fifths of the time; between sweeps there is a longer one.
    void stepped(const prune_result& did, boot_time now, std::chrono::nanoseconds took) {
        request_.after.reset();
        next_ = now + between_sweeps;
        if (!did.more) return;
        request_.after = did.next;
        next_ = now + std::clamp<std::chrono::nanoseconds>(4 * took, pause_min, pause_max);
    }
    void failed(boot_time now) {
        request_.after.reset();
        next_ = now + between_sweeps;
    }

private:
    static constexpr milliseconds pause_min{10};
    static constexpr milliseconds pause_max{200};
    static constexpr milliseconds between_sweeps{1000};
    static constexpr milliseconds patience{1000};

    bool is_on() const noexcept {
        return request_.delivered || request_.cancelled || request_.dead;
    }

    prune_request request_;
    boot_time next_{};
};

}  // namespace leasebox::dispatch
