// How many sends may start, by rate. Pure: the time comes in.
#pragma once

#include <algorithm>
#include <chrono>

#include "leasebox/core/flow.hpp"

namespace leasebox::dispatch {

/// Holds one second's worth of starts, at least one, and begins full. Kept as the time at which
/// it will be full again, so that no fractions add up.
class token_bucket {
public:
    explicit token_bucket(const send_rate& how)
        : interval_(ceil_div(std::chrono::nanoseconds(how.per).count(), how.count)),
          size_(static_cast<int>(std::max<std::int64_t>(1, how.count * std::int64_t{1000} /
                                                               how.per.count()))) {}

    int available(boot_time now) const {
        if (full_at_ <= now) return size_;
        const std::int64_t missing = ceil_div((full_at_ - now).count(), interval_.count());
        return missing >= size_ ? 0 : size_ - static_cast<int>(missing);
    }

    /// One start. More than were available are owed by the time to come.
    void take(boot_time now) { full_at_ = std::max(full_at_, now) + interval_; }

    /// When the next may start; not after `now` where one may start at once.
    boot_time next() const { return full_at_ - (size_ - 1) * interval_; }

private:
    static constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t by) {
        return (value + by - 1) / by;
    }

    std::chrono::nanoseconds interval_;  ///< rounded up: rather a little slower than faster
    int size_;
    boot_time full_at_{};
};

}  // namespace leasebox::dispatch
