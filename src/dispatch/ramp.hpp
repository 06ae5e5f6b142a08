// How fast a destination that is back after an outage may be sent to. Pure: the time comes in.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "leasebox/core/time.hpp"

namespace leasebox::dispatch {

/// One start in the first second, two in the next, four in the one after it, and no bound any
/// more after ten seconds. A limit on what is in flight alone would not do it: a consumer that
/// answers within a millisecond gets hundreds a second through a single slot.
class ramp {
public:
    static constexpr int unlimited = std::numeric_limits<int>::max();

    void begin(boot_time now) {
        begun_ = now;
        round_ = 0;
        used_ = 0;
    }

    int available(boot_time now) const {
        if (!begun_) return unlimited;
        const std::int64_t round = round_at(now);
        if (round >= rounds) return unlimited;
        return std::max(0, (1 << round) - (round == round_ ? used_ : 0));
    }

    void started(boot_time now) {
        if (!begun_) return;
        const std::int64_t round = round_at(now);
        if (round != round_) used_ = 0;
        round_ = round;
        used_ += 1;
        if (round >= rounds) begun_.reset();
    }

    /// When the next may start; not after `now` where one may start at once.
    boot_time next(boot_time now) const {
        if (available(now) > 0) return now;
        return *begun_ + (round_at(now) + 1) * std::chrono::seconds{1};
    }

private:
    static constexpr std::int64_t rounds = 10;

    std::int64_t round_at(boot_time now) const { return (now - *begun_) / std::chrono::seconds{1}; }

    std::optional<boot_time> begun_;
    std::int64_t round_ = 0;
    int used_ = 0;
};

}  // namespace leasebox::dispatch
