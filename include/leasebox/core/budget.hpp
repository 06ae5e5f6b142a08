// What an event may spend before it is given up. Every limit is finite.
#pragma once

#include <cstdint>

#include "leasebox/core/time.hpp"

namespace leasebox {

/// Limits judged when an event is claimed, acknowledged or renewed. An event's own
/// `attempts_max` and `deadline` go before these.
struct budgets {
    int attempts_max = 12;  ///< claims that may end without success; 1 to 1,000,000
    int expiries_max = 3;   ///< attempts that may end without any report; 1 to 1,000
    milliseconds lifetime = std::chrono::hours{24};  ///< from append (or its own not_before)
    int renewals_max = 100;                          ///< of one claim; 1 to 100,000
    milliseconds lease_total_max = std::chrono::hours{1};  ///< of one claim, renewals included
};

/// Exponential growth with full jitter: a delay is drawn evenly from (0, min(max, first·2^(n-1))].
struct backoff {
    milliseconds first = std::chrono::seconds{1};  ///< the bound after the first failure
    milliseconds max = std::chrono::hours{1};      ///< the bound never grows beyond this

    /// The bound after `failures` failures (1, 2, …). Never overflows.
    milliseconds bound(int failures) const noexcept;

    /// The delay for a random word of 64 even bits. At least 1 ms, so that a failure never spins.
    milliseconds delay(int failures, std::uint64_t random) const noexcept;
};

}  // namespace leasebox
