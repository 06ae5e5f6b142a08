// The model: what every command does to one event. One pure function per command,
// (row, command, now) -> (row, verdict, attempt that it closes). The stores keep rows and call
// these inside their transactions; they decide nothing of their own.
#pragma once

#include <optional>
#include <string>

#include "leasebox/core/budget.hpp"
#include "leasebox/core/claim.hpp"

namespace leasebox {

/// The mutable part of an event: what its state row keeps.
struct event_row {
    state at = state::pending;
    std::optional<reason> why;
    std::optional<cause> how;
    int attempts = 0;
    int expiries = 0;
    int renewals = 0;
    std::int64_t generation = 0;  ///< of the last claim, 0 before the first
    std::string owner;            ///< of the last claim
    store_time claimed_at{};
    store_time lease_until{};
    store_time not_before{};
    store_time budget_from{};  ///< lifetime counts from here: append, own delay, or last replay
    std::optional<store_time> deadline;
    std::optional<int> attempts_max;
    bool uncertain = false;        ///< an attempt may have arrived and nobody knows
    std::optional<outcome> last_outcome;
    int http_status = 0;
    std::string last_error;
    std::optional<store_time> ended_at;
    std::optional<store_time> settled_at;
    int replays = 0;
    std::int64_t evidence_floor = 0;  ///< evidence of this generation or older does not count

    // Read from the attempts ledger with the row; stores fill them in where the row is uncertain,
    // expired, or an operator's, and keep no copy of them.
    bool recorded = false;  ///< the ledger has a record of the last claim
    std::int64_t evidence_generation = 0;  ///< of a late report `delivered`; 0 = there is none

    friend bool operator==(const event_row&, const event_row&) = default;
};

/// What a command did.
struct transition {
    verdict answer = verdict::accepted;
    event_row row;                         ///< unchanged unless accepted
    std::optional<attempt_record> closed;  ///< to be written to the attempts ledger

    bool accepted() const noexcept { return answer == verdict::accepted; }
};

/// The fence. First match wins, in the order of the verdicts' table in docs/state-machine.md.
/// `reported` is the outcome being acknowledged; empty for a renewal.
verdict judge(const event_row& row, const claim_key& key, std::optional<outcome> reported,
              store_time now) noexcept;

/// The last attempt of an event that its row alone knows of: one that is open, or a first attempt
/// that succeeded. Empty where there was none or the ledger has it (`row.recorded`).
std::optional<attempt_record> unrecorded_attempt(const event_row& row);

/// Whether a claim may take the event now, leaving lane and destination aside.
bool is_due(const event_row& row, store_time now) noexcept;

/// An event that may have killed its owners all but once: it must run alone in its process.
bool is_suspect(const event_row& row, const budgets& limits) noexcept;

/// A settled event that must not be removed yet, because the owner of its last claim never said
/// how the attempt ended and may still do so: until `grace` after the lease's end.
bool could_be_needed(const event_row& row, milliseconds grace, store_time now) noexcept;

struct claim_command {
    std::string owner;
    std::int64_t generation = 0;  ///< above every generation the store has given out
    milliseconds lease{};
};

/// Takes a due event. The row that comes back is claimed; or dead, where a budget is used up;
/// or delivered, where evidence says so. An expired claim is closed on the way.
transition apply_claim(const event_row& row, const claim_command& command, const budgets& limits,
                       store_time now);

struct ack_command {
    claim_key key;
    report what;
    milliseconds after{};          ///< until the next attempt: `retry`, `uncertain`, `released`
    bool hold_uncertain = false;   ///< the destination's policy on_uncertain = hold
};

/// Ends the attempt of a current claim.
transition apply_ack(const event_row& row, const ack_command& command, const budgets& limits,
                     store_time now);

struct renew_command {
    claim_key key;
    milliseconds lease{};
};

/// Extends a current claim by a full lease, inside the renewal bounds.
transition apply_renew(const event_row& row, const renew_command& command, const budgets& limits,
                       store_time now);

/// Ends a claim whose owner is proven dead, at once, as an expiry. Fenced like an ack.
transition apply_expire(const event_row& row, const claim_key& key, store_time now);

/// What a stale owner's report adds to the record of its own attempt; empty where it may add
/// nothing: not its attempt, reported before, or the outcome is known from its own ack.
/// `record` is the ledger's row of that generation, if there is one.
std::optional<attempt_record> apply_evidence(const event_row& row,
                                             const std::optional<attempt_record>& record,
                                             const claim_key& key, const report& what,
                                             store_time now);

enum class operator_act : std::uint8_t { park, unpark, cancel, replay };

struct operator_command {
    operator_act act = operator_act::park;
    std::int64_t generation = 0;     ///< fences the claim that the event is taken from
    bool include_delivered = false;  ///< a replay may send a delivered event again
};

/// A person's act. On a claimed event it raises the generation, so that its holder is fenced.
transition apply_operator(const event_row& row, const operator_command& command, store_time now);

}  // namespace leasebox
