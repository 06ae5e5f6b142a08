// The closed vocabularies of the library: what an event can be, how an attempt can end,
// and what the store answers to an acknowledgment. The text of each word is part of the
// SQL, CLI and metrics contract; the number is what the stores keep and never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace leasebox {

/// Where an event is in its life.
enum class state : std::uint8_t {
    pending = 1,    ///< waits for its time, for its lane or for a free slot
    claimed = 2,    ///< an owner holds it until lease_until
    delivered = 3,  ///< settled: the consumer has it
    dead = 4,       ///< settled: gave up, for a reason; left only by replay or retention
    parked = 5,     ///< held on purpose; spends nothing
    cancelled = 6,  ///< settled: an operator withdrew it
};

/// How an attempt ended. `expired` is the store's word; the others are an owner's report.
enum class outcome : std::uint8_t {
    delivered = 1,  ///< the consumer said yes
    retry = 2,      ///< certainly not applied: may be sent again after a delay
    rejected = 3,   ///< the consumer will never take it
    uncertain = 4,  ///< it may have arrived; nobody knows
    released = 5,   ///< nothing was sent; the attempt is given back
    expired = 6,    ///< the lease ran out before any report
};

/// The store's answer to an acknowledgment, a renewal or an operator's act.
enum class verdict : std::uint8_t {
    accepted = 1,
    unknown_event,      ///< no such event
    stale_generation,   ///< a newer claim exists
    future_generation,  ///< the store has never given out this generation: restored or forged
    wrong_owner,        ///< right generation, other owner
    already_accepted,   ///< this same report was accepted before (its reply was lost)
    not_claimed,        ///< the event is not held by anybody
    lease_expired,      ///< it is too late, even though nobody has reclaimed the event yet
    renewal_limit,      ///< the lease may not be renewed any further
    wrong_state,        ///< an operator's act that this state does not allow
};

/// Why an event is dead or parked.
enum class reason : std::uint8_t {
    rejected = 1,
    attempts,
    lifetime,
    expiries,
    uncertain,
    operator_act,  ///< printed as "operator", which C++ reserves
};

/// How it is known that an event was delivered.
enum class cause : std::uint8_t {
    response = 1,  ///< the consumer's answer to this attempt
    evidence,      ///< the late report of an earlier attempt
    lookup,        ///< the consumer's status endpoint
    operator_act,  ///< a person said so; printed as "operator"
};

std::string_view to_string(state value) noexcept;
std::string_view to_string(outcome value) noexcept;
std::string_view to_string(verdict value) noexcept;
std::string_view to_string(reason value) noexcept;
std::string_view to_string(cause value) noexcept;

/// The inverse of to_string; empty where the text is not one of the words.
std::optional<state> parse_state(std::string_view text) noexcept;
std::optional<outcome> parse_outcome(std::string_view text) noexcept;
std::optional<reason> parse_reason(std::string_view text) noexcept;

std::ostream& operator<<(std::ostream& out, state value);
std::ostream& operator<<(std::ostream& out, outcome value);
std::ostream& operator<<(std::ostream& out, verdict value);
std::ostream& operator<<(std::ostream& out, reason value);
std::ostream& operator<<(std::ostream& out, cause value);

/// True where only replay can move the event again.
constexpr bool is_settled(state value) noexcept {
    return value == state::delivered || value == state::dead || value == state::cancelled;
}

}  // namespace leasebox
