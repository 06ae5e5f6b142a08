#include "leasebox/core/model.hpp"

#include <algorithm>

#include "leasebox/core/text.hpp"

namespace leasebox {
namespace {

transition refused(const event_row& row, verdict answer) { return {answer, row, std::nullopt}; }

attempt_record open_attempt(const event_row& row) {
    attempt_record record;
    record.generation = row.generation;
    record.attempt = row.attempts;
    record.owner = row.owner;
    record.claimed_at = row.claimed_at;
    record.lease_until = row.lease_until;
    return record;
}

attempt_record closed_attempt(const event_row& row, const report& what, store_time now) {
    attempt_record record = open_attempt(row);
    record.ended_at = now;
    record.result = what.result;
    record.http_status = what.http_status;
    record.reached = what.reached;
    record.bytes_written = what.bytes_written;
    record.detail = clean_detail(what.detail);
    return record;
}

store_time deadline_of(const event_row& row, const budgets& limits) noexcept {
    return row.deadline ? *row.deadline : later(row.budget_from, limits.lifetime);
}

int attempts_max_of(const event_row& row, const budgets& limits) noexcept {
    return row.attempts_max.value_or(limits.attempts_max);
}

std::optional<reason> spent_budget(const event_row& row, const budgets& limits,
                                   store_time now) noexcept {
    if (row.attempts >= attempts_max_of(row, limits)) return reason::attempts;
    if (row.expiries >= limits.expiries_max) return reason::expiries;
    if (deadline_of(row, limits) <= now) return reason::lifetime;
    return std::nullopt;
}

void settle(event_row& row, state at, store_time now) {
    row.at = at;
    row.settled_at = now;
}

void die(event_row& row, reason why, store_time now) {
    settle(row, state::dead, now);
    row.why = why;
}

void deliver(event_row& row, cause how, store_time now) {
    settle(row, state::delivered, now);
    row.how = how;
    row.why.reset();
    row.uncertain = false;
}

// The lease ran out: nobody knows what became of the attempt. An attempt whose owner reported
// late did not kill its owner, so it is no expiry in the sense of the budget.
transition expire(event_row row, store_time now) {
    report what(outcome::expired, "the lease ran out before any report");
    transition done{verdict::accepted, std::move(row), std::nullopt};
    event_row& next = done.row;
    if (!next.recorded) {
        done.closed = closed_attempt(next, what, now);
        next.expiries += 1;
        next.recorded = true;
    }
    next.at = state::pending;
    next.uncertain = true;
    next.last_outcome = outcome::expired;
    next.last_error = what.detail;
    next.http_status = 0;
    next.ended_at = now;
    next.not_before = std::min(next.not_before, now);
    return done;
}

// Back to waiting, or to the end of a budget.
void wait_or_die(event_row& row, const ack_command& command, const budgets& limits,
                 store_time now) {
    const store_time again = later(now, command.after);
    if (const auto spent = spent_budget(row, limits, now)) {
        die(row, *spent, now);
    } else if (deadline_of(row, limits) <= again) {
        die(row, reason::lifetime, now);
    } else {
        row.at = state::pending;
        row.not_before = again;
    }
}

void end_attempt(event_row& row, const ack_command& command, const budgets& limits,
                 store_time now) {
    const bool settled_by_evidence =
        command.what.result != outcome::delivered && row.evidence_generation != 0;
    if (settled_by_evidence) return deliver(row, cause::evidence, now);
    switch (command.what.result) {
        case outcome::delivered: return deliver(row, command.what.how, now);
        case outcome::rejected: return die(row, reason::rejected, now);
        case outcome::released:
            row.at = state::pending;
            row.attempts -= 1;
            row.not_before = later(now, command.after);
            return;
        // An owner may not say `expired`; what it means by it is that it does not know.
        case outcome::expired:
        case outcome::uncertain:
            row.uncertain = true;
            if (command.hold_uncertain) {
                row.at = state::parked;
                row.why = reason::uncertain;
                return;
            }
            return wait_or_die(row, command, limits, now);
        case outcome::retry: return wait_or_die(row, command, limits, now);
    }
}

// The claim ends without its owner: whatever it sent may have arrived.
void take_from_owner(transition& done, store_time now) {
    event_row& next = done.row;
    const report what(outcome::expired, "taken from its owner by an operator");
    if (!next.recorded) {
        done.closed = closed_attempt(next, what, now);
        // Taking an event from an owner that had vanished clears it of nothing.
        if (next.lease_until <= now) next.expiries += 1;
    }
    next.uncertain = true;
    next.last_outcome = what.result;
    next.last_error = what.detail;
    next.ended_at = now;
}

bool operator_may(const event_row& row, const operator_command& command) noexcept {
    switch (command.act) {
        case operator_act::park: return row.at == state::pending || row.at == state::claimed;
        case operator_act::unpark: return row.at == state::parked;
        case operator_act::cancel: return !is_settled(row.at);
        case operator_act::replay:
            return row.at == state::dead || row.at == state::cancelled ||
                   (row.at == state::delivered && command.include_delivered);
    }
    return false;
}

void renew_budget(event_row& row, store_time now) {
    row.attempts = 0;
    row.expiries = 0;
    row.replays += 1;
    row.deadline.reset();
    row.budget_from = now;
    row.settled_at.reset();
    row.how.reset();
}

void become_pending(event_row& row, store_time now) {
    row.at = state::pending;
    row.why.reset();
    row.not_before = std::max(row.not_before, now);
}

}  // namespace

verdict judge(const event_row& row, const claim_key& key, std::optional<outcome> reported,
              store_time now) noexcept {
    const bool claimed = row.at == state::claimed;
    const bool repeated = reported && row.last_outcome == reported && row.ended_at;
    if (key.generation < row.generation) return verdict::stale_generation;
    if (key.generation > row.generation) return verdict::future_generation;
    if (key.owner != row.owner || key.owner.empty()) return verdict::wrong_owner;
    if (!claimed && repeated) return verdict::already_accepted;
    if (!claimed) return verdict::not_claimed;
    if (row.lease_until <= now) return verdict::lease_expired;
    return verdict::accepted;
}

std::optional<attempt_record> unrecorded_attempt(const event_row& row) {
    if (row.owner.empty() || row.recorded) return std::nullopt;
    if (row.at == state::claimed) return open_attempt(row);
    report what(row.last_outcome.value_or(outcome::expired), row.last_error);
    what.http_status = row.http_status;
    if (row.http_status != 0) what.reached = phase::answered;
    return closed_attempt(row, what, row.ended_at.value_or(row.claimed_at));
}

bool is_due(const event_row& row, store_time now) noexcept {
    return (row.at == state::pending && row.not_before <= now) ||
           (row.at == state::claimed && row.lease_until <= now);
}

bool is_suspect(const event_row& row, const budgets& limits) noexcept {
    return row.expiries > 0 && row.expiries >= limits.expiries_max - 1;
}

// `expired` is what stands where a claim ended without its owner, by its lease or an operator.
bool could_be_needed(const event_row& row, milliseconds grace, store_time now) noexcept {
    return row.last_outcome == outcome::expired && now < later(row.lease_until, grace);
}

transition apply_claim(const event_row& row, const claim_command& command, const budgets& limits,
                       store_time now) {
    if (!is_due(row, now)) return refused(row, verdict::wrong_state);
    transition done = row.at == state::claimed ? expire(row, now)
                                               : transition{verdict::accepted, row, std::nullopt};
    event_row& next = done.row;
    if (next.evidence_generation != 0) {
        deliver(next, cause::evidence, now);
        return done;
    }
    if (const auto spent = spent_budget(next, limits, now)) {
        die(next, *spent, now);
        return done;
    }
    next.at = state::claimed;
    next.owner = command.owner;
    next.generation = command.generation;
    next.attempts += 1;
    next.renewals = 0;
    next.claimed_at = now;
    next.lease_until = later(now, command.lease);
    next.ended_at.reset();
    next.recorded = false;
    return done;
}

transition apply_ack(const event_row& row, const ack_command& command, const budgets& limits,
                     store_time now) {
    const verdict answer = judge(row, command.key, command.what.result, now);
    if (answer != verdict::accepted) return refused(row, answer);
    transition done{answer, row, std::nullopt};
    event_row& next = done.row;
    // A first attempt that succeeds needs no record of its own: the event's row is its record.
    if (command.what.result != outcome::delivered || row.attempts > 1) {
        done.closed = closed_attempt(row, command.what, now);
        next.recorded = true;
    }
    next.last_outcome = command.what.result;
    next.last_error = command.what.result == outcome::delivered ? std::string()
                                                                : clean_detail(command.what.detail);
    next.http_status = command.what.http_status;
    next.ended_at = now;
    end_attempt(next, command, limits, now);
    return done;
}

transition apply_renew(const event_row& row, const renew_command& command, const budgets& limits,
                       store_time now) {
    const verdict answer = judge(row, command.key, std::nullopt, now);
    if (answer != verdict::accepted) return refused(row, answer);
    const store_time until = later(now, command.lease);
    const bool within = row.renewals < limits.renewals_max &&
                        until <= later(row.claimed_at, limits.lease_total_max);
    if (!within) return refused(row, verdict::renewal_limit);
    transition done{answer, row, std::nullopt};
    done.row.renewals += 1;
    done.row.lease_until = std::max(row.lease_until, until);
    return done;
}

transition apply_expire(const event_row& row, const claim_key& key, store_time now) {
    if (key.generation != row.generation || key.owner != row.owner) {
        return refused(row, judge(row, key, std::nullopt, now));
    }
    if (row.at != state::claimed) return refused(row, verdict::not_claimed);
    return expire(row, now);
}

std::optional<attempt_record> apply_evidence(const event_row& row,
                                             const std::optional<attempt_record>& record,
                                             const claim_key& key, const report& what,
                                             store_time now) {
    const bool open_but_expired = !record && row.at == state::claimed &&
                                  row.generation == key.generation && row.lease_until <= now;
    if (!record && !open_but_expired) return std::nullopt;
    attempt_record next = record ? *record : open_attempt(row);
    const bool unknown = !next.result || *next.result == outcome::expired;
    if (next.generation != key.generation || next.owner != key.owner || next.late || !unknown) {
        return std::nullopt;
    }
    const attempt_record seen = closed_attempt(row, what, now);
    next.result = seen.result;
    next.http_status = seen.http_status;
    next.reached = seen.reached;
    next.bytes_written = seen.bytes_written;
    next.detail = seen.detail;
    next.ended_at = now;
    next.late = true;
    return next;
}

transition apply_operator(const event_row& row, const operator_command& command, store_time now) {
    if (!operator_may(row, command)) return refused(row, verdict::wrong_state);
    transition done{verdict::accepted, row, std::nullopt};
    event_row& next = done.row;
    if (row.at == state::claimed) {
        take_from_owner(done, now);
    } else {
        done.closed = unrecorded_attempt(row);
    }
    if (row.at == state::delivered) next.evidence_floor = command.generation;
    next.generation = command.generation;
    next.recorded = true;
    next.owner.clear();
    switch (command.act) {
        case operator_act::park:
            next.at = state::parked;
            next.why = reason::operator_act;
            break;
        case operator_act::cancel:
            settle(next, state::cancelled, now);
            next.why.reset();
            break;
        case operator_act::unpark: become_pending(next, now); break;
        case operator_act::replay:
            renew_budget(next, now);
            become_pending(next, now);
            break;
    }
    return done;
}

}  // namespace leasebox
