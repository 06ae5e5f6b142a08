#include "sqlite/claims.hpp"

#include <algorithm>

namespace leasebox::sqlite {
namespace {

constexpr const char* due_destinations_sql =
    "SELECT destination_id, name FROM leasebox_destination INDEXED BY leasebox_destination_due "
    "WHERE next_due <= ?1 AND paused = 0";

// By rowid, so that every destination has its turn however many are due.
constexpr const char* after_rotor_sql =
    "SELECT destination_id, name FROM leasebox_destination NOT INDEXED "
    "WHERE destination_id > ?2 AND next_due <= ?1 AND paused = 0 ORDER BY destination_id";

constexpr const char* due_rows_sql =
    "SELECT seq FROM leasebox_work INDEXED BY leasebox_work_due WHERE destination_id = ? "
    "AND due_class = ? AND due_at <= ? AND due_at IS NOT NULL ORDER BY due_at, seq LIMIT ?";

constexpr const char* event_sql =
    "SELECT e.id, e.key, w.lane_seq, e.type, e.content_type, e.headers, e.payload, w.appended_at, "
    "l.gap, l.delivered FROM leasebox_event AS e JOIN leasebox_work AS w ON w.seq = e.seq "
    "LEFT JOIN leasebox_lane AS l ON l.lane_id = w.lane_id WHERE e.seq = ?";

constexpr const char* next_due_sql =
    "SELECT name, next_due FROM leasebox_destination INDEXED BY leasebox_destination_due "
    "WHERE next_due IS NOT NULL AND paused = 0 ORDER BY next_due";

}  // namespace

claims::claims(SQLite::Database& database, rows& table, lanes& order, accounts& counts)
    : rows_(table),
      lanes_(order),
      accounts_(counts),
      due_destinations_(database, due_destinations_sql),
      after_rotor_(database, after_rotor_sql),
      due_rows_(database, due_rows_sql),
      event_(database, event_sql),
      next_due_(database, next_due_sql) {}

claim_reply claims::take(const claim_request& request, std::int64_t generation, store_time now) {
    quotas served;
    served.reserve(request.destinations.size());
    for (const destination_quota& quota : request.destinations) {
        served.emplace(quota.destination, &quota);
    }
    round open{request, generation, now, {}, request.limit, 2 * request.limit + 64};
    open.reply.now = now;
    std::vector<turn> turns = due_destinations(open, served);
    if (request.alone) take_suspect(open, turns);
    if (open.reply.events.empty()) share_out(open, turns);
    accounts_.write();
    open.reply.next_due = next_due(open, served, turns);
    return std::move(open.reply);
}

std::vector<claims::turn> claims::due_destinations(const round& open, const quotas& served) {
    const auto enough = static_cast<std::size_t>(open.request.limit);
    std::vector<turn> turns = scan(due_destinations_, open, served, enough + 1);
    if (turns.size() > enough) return scan_from_rotor(open, served);
    // All of them have a turn; who begins changes, for the case that slots run out.
    std::sort(turns.begin(), turns.end(), [](const turn& left, const turn& right) {
        return left.destination_id < right.destination_id;
    });
    const auto first =
        std::upper_bound(turns.begin(), turns.end(), rotor_, [](std::int64_t id, const turn& at) {
            return id < at.destination_id;
        });
    std::rotate(turns.begin(), first, turns.end());
    if (!turns.empty()) rotor_ = turns.front().destination_id;
    return turns;
}

std::vector<claims::turn> claims::scan_from_rotor(const round& open, const quotas& served) {
    const auto enough = static_cast<std::size_t>(open.request.limit);
    std::vector<turn> turns;
    for (const std::int64_t from : {rotor_, std::int64_t{0}}) {
        after_rotor_.bind(2, from);
        for (turn& found : scan(after_rotor_, open, served, enough - turns.size())) {
            turns.push_back(std::move(found));
        }
        if (turns.size() == enough) break;
    }
    if (!turns.empty()) rotor_ = turns.back().destination_id;
    return turns;
}

std::vector<claims::turn> claims::scan(SQLite::Statement& query, const round& open,
                                       const quotas& served, std::size_t enough) {
    const reset_guard reset(query);
    query.bind(1, to_ms(open.now));
    std::vector<turn> turns;
    while (turns.size() < enough && query.executeStep()) {
        turn found;
        found.destination_id = query.getColumn(0).getInt64();
        found.name = query.getColumn(1).getString();
        found.slots = open.request.limit;
        if (!open.request.any_destination) {
            const auto quota = served.find(found.name);
            if (quota == served.end() || quota->second->slots < 1) continue;
            found.slots = quota->second->slots;
            found.dead_head = quota->second->dead_head;
        }
        turns.push_back(std::move(found));
    }
    return turns;
}

// Even shares first, then what is left over goes round until nobody has anything.
void claims::share_out(round& open, std::vector<turn>& turns) {
    bool moving = true;
    while (open.left > 0 && open.rows_left > 0 && moving && !turns.empty()) {
        const int share = std::max(1, open.left / static_cast<int>(turns.size()));
        moving = false;
        for (turn& from : turns) {
            const int count = std::min({share, from.slots, open.left, open.rows_left});
            if (from.exhausted || count == 0) continue;
            take_some(open, from, count);
            moving = moving || !from.exhausted;
        }
    }
}

void claims::take_some(round& open, turn& from, int count) {
    bool found_any = false;
    for (const due_class which : {due_class::claimed, due_class::pending}) {
        if (count <= 0) break;
        const std::vector<std::int64_t> found =
            due_rows(from.destination_id, which, open.now, count);
        for (const std::int64_t seq : found) take_row(open, from, seq);
        count -= static_cast<int>(found.size());
        found_any = found_any || !found.empty();
    }
    const bool waiting =
        !due_rows(from.destination_id, due_class::suspect, open.now, 1).empty();
    open.reply.suspect_waits = open.reply.suspect_waits || waiting;
    from.exhausted = from.slots == 0 || !found_any;
}

void claims::take_suspect(round& open, std::vector<turn>& turns) {
    for (turn& from : turns) {
        for (const std::int64_t seq :
             due_rows(from.destination_id, due_class::suspect, open.now, 1)) {
            take_row(open, from, seq);
            if (!open.reply.events.empty()) return;
        }
    }
}

std::vector<std::int64_t> claims::due_rows(std::int64_t destination_id, due_class which,
                                           store_time now, int count) {
    const reset_guard reset(due_rows_);
    due_rows_.bind(1, destination_id);
    due_rows_.bind(2, static_cast<int>(which));
    due_rows_.bind(3, to_ms(now));
    due_rows_.bind(4, count);
    std::vector<std::int64_t> found;
    while (due_rows_.executeStep()) found.push_back(due_rows_.getColumn(0).getInt64());
    return found;
}

void claims::take_row(round& open, turn& from, std::int64_t seq) {
    open.rows_left -= 1;
    work_row row = *rows_.find(seq);
    const bool expired = row.event.at == state::claimed;
    if (expired || row.event.uncertain) rows_.add_history(row);
    if (expired) open.reply.expired += 1;
    if (expired && leave_suspect(open, row)) return;
    const budgets& limits = open.request.limits;
    const claim_command command{open.request.owner, open.generation, open.request.lease};
    const transition done = apply_claim(row.event, command, limits, open.now);
    if (!done.accepted()) return;
    lanes_.replace(row, row, done, &limits, from.dead_head);
    hand_out(open, from, row, done.row);
    if (done.row.at != state::claimed) return;
    from.slots -= 1;
    open.left -= 1;
}

// An expired claim that makes its event a suspect is closed, but the event waits until nothing
// else is in flight. Judged by what it is after the expiry.
bool claims::leave_suspect(round& open, const work_row& row) {
    const budgets& limits = open.request.limits;
    const claim_key key(std::string(), row.event.owner, row.event.generation);
    const transition closed = apply_expire(row.event, key, open.now);
    const bool convicted = closed.row.expiries >= limits.expiries_max;
    if (convicted || !is_suspect(closed.row, limits) || row.event.evidence_generation != 0) {
        return false;
    }
    lanes_.replace(row, row, closed, &limits, on_dead::block);
    open.reply.suspect_waits = true;
    return true;
}

void claims::hand_out(round& open, const turn& from, const work_row& row,
                      const event_row& taken) {
    const reset_guard reset(event_);
    event_.bind(1, row.seq);
    event_.executeStep();
    const std::string id = event_.getColumn(0).getString();
    if (taken.at != state::claimed) {
        open.reply.settled.push_back({id, from.name, taken.at, taken.why, taken.how,
                                      open.generation, taken.attempts});
        return;
    }
    claimed_event event;
    event.key = claim_key(id, taken.owner, taken.generation);
    event.seq = row.seq;
    event.attempt = taken.attempts;
    event.claimed_at = taken.claimed_at;
    event.lease_until = taken.lease_until;
    event.destination = from.name;
    if (!event_.isColumnNull(1)) event.lane = event_.getColumn(1).getString();
    event.lane_seq = event_.getColumn(2).getInt64();
    event.type = event_.getColumn(3).getString();
    event.content_type = event_.getColumn(4).getString();
    event.headers = event_.getColumn(5).getString();
    event.payload = event_.getColumn(6).getString();
    event.appended_at = from_ms(event_.getColumn(7).getInt64());
    if (event.lane) {
        const lane_gap gap(event_.getColumn(8).getString(), event_.getColumn(9).getInt64());
        event.lane_gap = gap.before(event.lane_seq);
    }
    event.expiries = taken.expiries;
    event.uncertain = taken.uncertain;
    event.suspect = is_suspect(taken, open.request.limits);
    open.reply.events.push_back(std::move(event));
}

// A destination whose slots are full is left out: it is asked again when one becomes free.
std::optional<store_time> claims::next_due(const round& open, const quotas& served,
                                           const std::vector<turn>& turns) {
    const auto is_full = [&](const std::string& name) {
        return std::any_of(turns.begin(), turns.end(), [&](const turn& at) {
            return at.slots == 0 && at.name == name;
        });
    };
    const reset_guard reset(next_due_);
    while (next_due_.executeStep()) {
        const std::string name = next_due_.getColumn(0).getString();
        const auto quota = served.find(name);
        const bool listed = quota != served.end() && quota->second->slots > 0;
        const bool asked = open.request.any_destination || listed;
        const bool full = !open.request.any_destination && is_full(name);
        if (asked && !full) return from_ms(next_due_.getColumn(1).getInt64());
    }
    return std::nullopt;
}

}  // namespace leasebox::sqlite
