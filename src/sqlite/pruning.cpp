#include "sqlite/pruning.hpp"

#include <algorithm>
#include <limits>

namespace leasebox::sqlite {
namespace {

// In the order of the index, so that a sweep goes through it once.
constexpr state settled_states[] = {state::delivered, state::dead, state::cancelled};

#define LEASEBOX_CANDIDATE \
    "SELECT seq, destination_id, state, settled_at, occupies, last_outcome, lease_until "

constexpr const char* old_rows_sql = LEASEBOX_CANDIDATE
    "FROM leasebox_work INDEXED BY leasebox_work_settled WHERE state = ?1 AND settled_at >= ?2 "
    "AND settled_at <= ?4 AND (settled_at > ?2 OR seq > ?3) ORDER BY settled_at, seq LIMIT ?5";

constexpr const char* row_sql = LEASEBOX_CANDIDATE "FROM leasebox_work WHERE seq = ?";

#undef LEASEBOX_CANDIDATE

// A row that is kept or of another destination costs a look and no write.
constexpr int looks_a_removal = 10;
// What appends are about to use again anyhow; giving it back would only cost writes.
constexpr int spare_pages = 256;
constexpr const char* give_back_sql = "PRAGMA incremental_vacuum(32)";

}  // namespace

pruning::pruning(SQLite::Database& database)
    : database_(database),
      old_rows_(database, old_rows_sql),
      row_(database, row_sql),
      // Everything that belongs to the event goes with it, by the schema's triggers: they are
      // what a person's own DELETE runs, too.
      remove_(database, "DELETE FROM leasebox_event WHERE seq = ?"),
      destination_(database, "SELECT destination_id FROM leasebox_destination WHERE name = ?"),
      free_pages_(database, "PRAGMA freelist_count") {}

prune_result pruning::look(const prune_request& request, store_time now) {
    found_.clear();
    destination_id_ = destination_of(request);
    prune_result result;
    result.next = request.after.value_or(prune_position{});
    int rows_left = request.limit * looks_a_removal;
    for (const state at : settled_states) {
        if (static_cast<int>(at) < static_cast<int>(result.next.at)) continue;
        if (at != result.next.at) result.next = {at, {}, 0};
        rows_left = look_at(at, request, now, rows_left, result);
        result.more = rows_left == 0;
        if (result.more) return result;
    }
    result.next = {state::cancelled, store_time::max(), std::numeric_limits<std::int64_t>::max()};
    return result;
}

// How many rows may be looked at after this; 0 where the state may have more of them.
int pruning::look_at(state at, const prune_request& request, store_time now, int rows_left,
                     prune_result& into) {
    const std::optional<milliseconds> age = request.age_of(at);
    if (!age || (request.destination && !destination_id_)) return rows_left;
    const reset_guard reset(old_rows_);
    old_rows_.bind(1, static_cast<int>(at));
    old_rows_.bind(2, to_ms(into.next.settled_at));
    old_rows_.bind(3, into.next.seq);
    old_rows_.bind(4, to_ms(now) - age->count());
    old_rows_.bind(5, rows_left);
    while (rows_left > 0 && old_rows_.executeStep()) {
        const candidate row = read(old_rows_);
        into.next = {at, *row.event.settled_at, row.seq};
        rows_left -= 1;
        if (!is_asked_for(row, request)) continue;
        into.matched[at] += 1;
        if (is_needed(row, request, now)) {
            into.kept += 1;
        } else {
            found_.emplace_back(row.seq, at);
        }
        if (found_.size() == static_cast<std::size_t>(request.limit)) return 0;
    }
    return rows_left;
}

void pruning::remove(const prune_request& request, store_time now, prune_result& into) {
    for (const auto& [seq, at] : found_) {
        // It may have been replayed since it was looked at: then it did not match after all.
        if (!may_still_go(seq, request, now)) {
            into.matched[at] -= 1;
            continue;
        }
        const reset_guard reset(remove_);
        remove_.bind(1, seq);
        remove_.exec();
        into.removed[at] += 1;
    }
    found_.clear();
}

// Where the file was made by somebody else, without auto_vacuum, a step frees nothing.
bool pruning::give_back() {
    const std::int64_t before = free_pages();
    if (before <= spare_pages) return false;
    database_.exec(give_back_sql);
    const std::int64_t left = free_pages();
    return left < before && left > spare_pages;
}

std::int64_t pruning::free_pages() {
    const reset_guard reset(free_pages_);
    return free_pages_.executeStep() ? free_pages_.getColumn(0).getInt64() : 0;
}

pruning::candidate pruning::read(SQLite::Statement& query) {
    candidate row;
    row.seq = query.getColumn(0).getInt64();
    row.destination_id = query.getColumn(1).getInt64();
    row.event.at = static_cast<state>(query.getColumn(2).getInt());
    if (!query.isColumnNull(3)) row.event.settled_at = from_ms(query.getColumn(3).getInt64());
    row.occupies = query.getColumn(4).getInt() != 0;
    if (!query.isColumnNull(5)) {
        row.event.last_outcome = static_cast<outcome>(query.getColumn(5).getInt());
    }
    row.event.lease_until = from_ms(query.getColumn(6).getInt64());
    return row;
}

bool pruning::is_needed(const candidate& row, const prune_request& request, store_time now) {
    return row.occupies || could_be_needed(row.event, request.grace, now);
}

bool pruning::is_asked_for(const candidate& row, const prune_request& request) {
    return !request.destination || row.destination_id == destination_id_;
}

bool pruning::may_still_go(std::int64_t seq, const prune_request& request, store_time now) {
    const reset_guard reset(row_);
    row_.bind(1, seq);
    if (!row_.executeStep()) return false;
    const candidate row = read(row_);
    const std::optional<milliseconds> age = request.age_of(row.event.at);
    return age && row.event.settled_at && later(*row.event.settled_at, *age) <= now &&
           !is_needed(row, request, now);
}

std::optional<std::int64_t> pruning::destination_of(const prune_request& request) {
    if (!request.destination) return std::nullopt;
    const reset_guard reset(destination_);
    destination_.bind(1, *request.destination);
    if (!destination_.executeStep()) return std::nullopt;
    return destination_.getColumn(0).getInt64();
}

}  // namespace leasebox::sqlite
