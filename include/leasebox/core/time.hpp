// The two times of the library, as types that cannot be mixed up.
//
// store_time is what the owner of the store says: it decides expiry, delays and deadlines.
// boot_time is what a worker measures for itself, on a clock that also runs while the host is
// suspended: it decides when to stop a send. Neither type has a now(): only a clock has one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leasebox {

using std::chrono::milliseconds;

/// The store's clock: milliseconds since the Unix epoch, never stepping back.
struct store_clock {
    using duration = milliseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<store_clock, duration>;
    static constexpr bool is_steady = true;
};
using store_time = store_clock::time_point;

/// A host's CLOCK_BOOTTIME: steady, and it goes on while the host is suspended.
struct boot_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<boot_clock, duration>;
    static constexpr bool is_steady = true;
};
using boot_time = boot_clock::time_point;

/// The last instant that any store accepts, the end of the year 9999.
inline constexpr store_time store_time_max{milliseconds{253'402'300'799'999}};

constexpr std::int64_t to_ms(store_time at) noexcept { return at.time_since_epoch().count(); }
constexpr store_time from_ms(std::int64_t at_ms) noexcept {
    return store_time{milliseconds{at_ms}};
}

/// `at + delay`, clamped to [at, store_time_max]: no overflow whatever the delay, and a negative
/// delay counts as none.
constexpr store_time later(store_time at, milliseconds delay) noexcept {
    if (delay.count() <= 0) return at;
    const auto room = store_time_max - at;
    return delay < room ? at + delay : (at < store_time_max ? store_time_max : at);
}

/// The store's memory of its own clock: the highest time it has used, and where that host's
/// boot clock stood then (unknown after a producer's plain SQL raised it).
struct clock_mark {
    store_time high{};
    std::optional<boot_time> boot;
    std::string boot_id;  ///< the host's boot, as the kernel names it
};

/// What a host's clocks say at one moment.
struct clock_reading {
    store_time wall{};
    boot_time boot{};
    std::string_view boot_id;
};

/// The store's time: the wall clock where that has kept up; where it was set back, the mark moved
/// on at the rate of the boot clock. So it neither steps back nor stands still. A wall that falls
/// behind by less than a second is taken for one that is being slewed, and followed. Pure.
store_time read_store_time(const clock_mark& mark, const clock_reading& reading) noexcept;

/// Reads `200ms 30s 5m 24h 7d` (one number, one unit, no sign). Empty for anything else, a bare
/// number included, and for zero or more than ten years.
std::optional<milliseconds> parse_duration(std::string_view text) noexcept;

/// The shortest form that parse_duration reads back to the same value, such as `90s`.
std::string format_duration(milliseconds value);

}  // namespace leasebox
