// The store port: what SQLite, PostgreSQL and the in-memory store all do.
//
// A store is synchronous and transactional: a batch of operations in, their replies out, one
// transaction. It is used from one thread at a time; the store actor is that thread in a
// dispatcher. Every operation is judged at the transaction's own time.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "leasebox/core/budget.hpp"
#include "leasebox/core/error.hpp"
#include "leasebox/core/event.hpp"
#include "leasebox/core/explain.hpp"
#include "leasebox/core/model.hpp"

namespace leasebox {

/// What becomes of a lane whose head is dead.
enum class on_dead : std::uint8_t { block, skip };

/// How many events of one destination a claim may take.
struct destination_quota {
    std::string destination;
    int slots = 1;
    on_dead dead_head = on_dead::block;  ///< for an event that dies in the claim
};

/// Take due events: expired ones first, then the oldest, interleaved over the destinations.
struct claim_request {
    std::string owner;
    int limit = 1;          ///< in total; 1 to 10,000
    milliseconds lease{};   ///< from the transaction's time
    budgets limits;         ///< judged here: an event whose budget is used up dies here
    std::vector<destination_quota> destinations;  ///< who is served; nobody else's events move
    bool any_destination = false;                 ///< serve all, without quotas
    bool alone = false;  ///< nothing else is in flight, so one suspect may be taken
};

/// An event that a claim settled without handing it out.
struct settled_event {
    std::string id;
    std::string destination;
    state at = state::dead;
    std::optional<reason> why;
    std::optional<cause> how;
    std::int64_t generation = 0;
    int attempts = 0;
};

struct claim_reply {
    std::vector<claimed_event> events;
    std::vector<settled_event> settled;
    int expired = 0;  ///< claims of others whose lease had run out, closed here
    std::optional<store_time> next_due;  ///< when to ask again, for the destinations asked for
    bool suspect_waits = false;          ///< a suspect is due, but the request was not `alone`
    store_time now{};
};

struct ack_request {
    ack_command command;
    budgets limits;
    on_dead dead_head = on_dead::block;
};

/// Who holds an event.
struct holder {
    std::string owner;
    std::int64_t generation = 0;
    store_time since{};
};

struct ack_reply {
    verdict answer = verdict::accepted;
    std::optional<holder> current;  ///< who holds the event now, where that is another claim
    bool evidence_kept = false;     ///< refused, but kept as the record of its own attempt
    state at = state::pending;      ///< the event's state after this
    std::optional<reason> why;
    store_time now{};
};

struct renew_request {
    renew_command command;
    budgets limits;
};

struct renew_reply {
    verdict answer = verdict::accepted;
    std::optional<holder> current;
    store_time lease_until{};
    store_time now{};
};

struct append_request {
    std::vector<draft> drafts;  ///< all or none
};

struct append_reply {
    std::vector<receipt> receipts;
};

/// The open transaction that a function given to transact() may use. Never outlives the call.
class transaction {
public:
    virtual ~transaction() = default;
    /// Appends in this transaction; throws leasebox::error.
    virtual receipt append(const draft& event) = 0;
};

/// Runs the application's function inside the transaction. It must be short, must not wait, and
/// what it throws undoes only what it did itself.
struct transact_request {
    std::function<void(transaction&)> run;
};

struct transact_reply {};

/// A person's act on one event.
struct operator_request {
    std::string id;
    operator_act act = operator_act::park;
    bool include_delivered = false;
    on_dead dead_head = on_dead::block;
};

struct operator_reply {
    verdict answer = verdict::accepted;
    state at = state::pending;
};

/// Stops claims of the destination, for every dispatcher, until it is resumed. What is in flight
/// goes on. The destination need not be known yet.
struct pause_request {
    std::string destination;
    bool paused = true;
};

struct pause_reply {};

using operation = std::variant<ack_request, renew_request, claim_request, append_request,
                               transact_request, operator_request, pause_request>;

/// Why one operation of a committed batch failed. It alone changed nothing.
struct failure {
    boost::system::error_code code;
    std::string sentence;
    std::exception_ptr thrown;  ///< what a transact function threw, if it did
};

using reply = std::variant<failure, ack_reply, renew_reply, claim_reply, append_reply,
                           transact_reply, operator_reply, pause_reply>;

/// One row of leasebox_status.
struct event_status {
    std::string id;
    std::string destination;
    std::optional<std::string> key;
    std::optional<std::string> type;
    event_row row;
    store_time appended_at{};
    std::int64_t seq = 0;
    std::int64_t payload_bytes = 0;
};

struct list_filter {
    std::optional<state> at;
    std::optional<std::string> destination;
    std::optional<std::string> key;
    std::optional<reason> why;
    std::int64_t after_seq = 0;
    int limit = 100;  ///< 1 to 10,000
};

struct destination_stats {
    std::map<state, std::int64_t> events;
    std::int64_t pruned_dead = 0;  ///< dead events that retention has removed, ever
    bool paused = false;
    std::optional<store_time> oldest_pending;  ///< append time
};

struct store_stats {
    std::map<std::string, destination_stats> destinations;
    std::int64_t lanes_blocked = 0;
    std::int64_t uncertain = 0;
    std::map<cause, std::int64_t> resends_avoided;
    store_time now{};
};

/// How far a sweep of prune() has come: over the states, then by the time of settling.
struct prune_position {
    state at = state::delivered;
    store_time settled_at{};
    std::int64_t seq = 0;

    friend bool operator==(const prune_position&, const prune_position&) = default;
};

/// Remove what was settled long enough ago. A state without an age is kept.
struct prune_request {
    std::optional<milliseconds> delivered;  ///< ages, by the store's clock, since the settling
    std::optional<milliseconds> cancelled;
    std::optional<milliseconds> dead;
    std::optional<std::string> destination;  ///< none: all
    int limit = 200;                         ///< events removed by one call; 1 to 10,000
    milliseconds grace = std::chrono::minutes{1};  ///< for late reports, after the lease's end
    std::optional<prune_position> after;     ///< where the last call of this sweep stopped
    bool dry_run = false;                    ///< count only

    std::optional<milliseconds> age_of(state at) const noexcept {
        return at == state::delivered   ? delivered
               : at == state::cancelled ? cancelled
               : at == state::dead      ? dead
                                        : std::nullopt;
    }
};

/// What one call did; a sweep's sums are its calls' sums.
struct prune_result {
    std::map<state, std::int64_t> matched;  ///< old enough, protected ones included
    std::map<state, std::int64_t> removed;
    std::int64_t kept = 0;  ///< old enough, but protected: see could_be_needed() in model.hpp
    prune_position next;    ///< `after` of the next call
    bool more = false;      ///< call again: there are more events, or space to give back
};

class store {
public:
    virtual ~store() = default;

    /// Commits the whole batch in one transaction; replies come in the order of the operations.
    /// Throws leasebox::error where the transaction failed: then nothing was changed.
    virtual std::vector<reply> commit(std::span<const operation> batch) = 0;

    /// Whether somebody else has committed since the last call. Cheap enough to ask often.
    virtual bool changed_outside() = 0;

    /// Raises the generation floor by a block, as a dispatcher does once when it starts, since
    /// consumers may have seen higher generations than a restored or torn store knows.
    virtual void raise_generation_floor() = 0;

    /// Makes the death of this owner provable to others, where the store can do that: from now
    /// until the store object is destroyed, or its process ends in any way. Before its first claim.
    virtual void register_owner(const std::string& owner) = 0;

    /// Expires the claims of registered owners that are proven dead, without waiting for their
    /// leases; each through the fence, as an expiry. Returns how many. An owner that is only
    /// stopped or slow is not dead, and one that was never registered is never taken for dead.
    virtual int expire_dead_owners(const budgets& limits) = 0;
    /// One step of a sweep over settled events that are older than asked: one short transaction,
    /// so that claims do not wait. Never removes an unsettled event, nor one that is still needed.
    virtual prune_result prune(const prune_request& request) = 0;

    // Reads. They change nothing.
    virtual store_time now() = 0;
    virtual std::optional<explanation> explain(const std::string& id) = 0;
    virtual std::optional<event_status> status(const std::string& id) = 0;
    virtual std::vector<attempt_record> attempts(const std::string& id) = 0;
    virtual std::vector<event_status> list(const list_filter& filter) = 0;
    virtual store_stats stats() = 0;
};

}  // namespace leasebox
