// How fast a destination may be sent to, and when it is left alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leasebox/core/time.hpp"

namespace leasebox {

/// So many starts a second, minute or hour. After a pause as many may start at once as belong to
/// one second, at least one: over any time T at most `T · count / per` and this burst. Each
/// dispatcher keeps to it by itself; two that serve one destination send twice as fast.
struct send_rate {
    int count = 100;                            ///< 1 to 1,000,000
    milliseconds per = std::chrono::seconds{1}; ///< 1 s to 1 h

    bool operator==(const send_rate&) const = default;
};

/// Reads `100/s 30/m 5/h`. Empty for anything else, and for a count outside its range.
std::optional<send_rate> parse_rate(std::string_view text) noexcept;

/// When a destination that keeps failing is left alone, and for how long. Only the consumer's
/// own failures count: a 2xx or a rejection says that it is there, and a 409 (an earlier attempt
/// still runs), a wish to be left alone (Retry-After) and what was never sent say nothing.
struct breaker_options {
    milliseconds window = std::chrono::seconds{10};  ///< looked back over; 1 s to 1 h
    int attempts_min = 10;     ///< fewer ended attempts inside it prove nothing; 1 to 100,000
    int failure_percent = 50;  ///< opens above this share; 1 to 100, where 100 never opens
    milliseconds open_first = std::chrono::seconds{1};  ///< doubles with each failed probe
    milliseconds open_max = std::chrono::minutes{1};    ///< up to this; both 1 ms to 24 h
};

/// Whether a destination is sent to.
enum class circuit_state : std::uint8_t {
    closed,     ///< as ever
    open,       ///< nothing is claimed for it, so no attempts are spent
    half_open,  ///< one event is sent to see whether it is back
};
std::string_view to_string(circuit_state value) noexcept;

/// What becomes of a destination that answers 410.
enum class on_gone : std::uint8_t {
    pause,   ///< it is claimed no more, so that its backlog does not die one by one
    reject,  ///< only the event that was answered so is dead
};

}  // namespace leasebox
