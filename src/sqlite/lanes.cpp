#include "sqlite/lanes.hpp"

namespace leasebox::sqlite {
namespace {

bool occupies_lane(const work_row& row, on_dead dead_head) noexcept {
    switch (row.event.at) {
        case state::pending:
        case state::claimed:
        case state::parked: return true;
        case state::dead: return dead_head == on_dead::block;
        case state::delivered:
        case state::cancelled: return false;
    }
    return false;
}

// Puts the row into the part of the claim's index where its state belongs, or into none.
void place(work_row& row, bool may_move) noexcept {
    row.due.reset();
    if (!may_move) return;
    if (row.event.at == state::claimed) {
        row.due = due_class::claimed;
        row.due_at = row.event.lease_until;
    } else if (row.event.at == state::pending) {
        row.due = row.suspect ? due_class::suspect : due_class::pending;
        row.due_at = row.event.not_before;
    }
}

}  // namespace

lanes::lanes(SQLite::Database& database, rows& table, accounts& counts)
    : rows_(table),
      accounts_(counts),
      load_(database, "SELECT head, blocked, gap, delivered FROM leasebox_lane WHERE lane_id = ?"),
      first_(database,
             "SELECT seq FROM leasebox_work WHERE lane_id = ? AND occupies = 1 "
             "ORDER BY seq LIMIT 1"),
      save_(database, 
             "UPDATE leasebox_lane SET head = ?, blocked = ?, gap = ?, delivered = ? "
             "WHERE lane_id = ?") {}

void lanes::replace(const work_row& before, work_row after, const transition& done,
                    const budgets* limits, on_dead dead_head) {
    after.event = done.row;
    const bool in_lane = after.lane_id != 0;
    // A row of a lane keeps its place in the index only while it is at the head; whether it is
    // again after this change, refresh() decides.
    const bool at_head = !in_lane || before.due.has_value();
    after.occupies = in_lane && occupies_lane(after, dead_head);
    if (limits != nullptr) after.suspect = is_suspect(after.event, *limits);
    if (done.row.replays != before.event.replays) after.suspect = false;
    place(after, at_head);
    rows_.save(after);
    if (done.closed) rows_.save_attempt(after.seq, *done.closed);
    accounts_.moved(before, after);
    // Taking or keeping the head changes nothing for the rest of the lane; anything else may.
    if (in_lane && after.event.at != state::claimed) {
        refresh(before, after);
    }
}

void lanes::refresh(const work_row& before, const work_row& after) {
    const lane_row lane = load(after.lane_id);
    lane_row next = lane;
    next.gap.moved(after.lane_seq, before.occupies, after.occupies, after.event.at);
    // Where an older event came back (a replay) while a later one is claimed, that one stays the
    // head until its claim ends.
    const std::int64_t first = first_occupant(after.lane_id);
    if (first == lane.head || release_old_head(lane, first)) {
        next.head = first;
        next.blocked = first != 0 && promote(first);
    }
    if (next.blocked != lane.blocked) {
        accounts_.lane_blocked(after.destination_id, next.blocked ? 1 : -1);
    }
    if (next != lane) save(after.lane_id, next);
}

// Makes the head movable where its state allows; true where it blocks the lane.
bool lanes::promote(std::int64_t seq) {
    work_row head = *rows_.find(seq);
    const bool placed = head.due.has_value();
    place(head, true);
    if (placed != head.due.has_value()) rows_.save(head);
    return head.event.at == state::dead || head.event.at == state::parked;
}

// False where the old head is claimed and so has to stay the head until it ends.
bool lanes::release_old_head(const lane_row& lane, std::int64_t next) {
    if (lane.head == 0 || next == 0) return true;
    std::optional<work_row> head = rows_.find(lane.head);
    if (!head || !head->occupies) return true;
    if (head->event.at == state::claimed) return false;
    if (head->due) {
        head->due.reset();
        rows_.save(*head);
    }
    return true;
}

lanes::lane_row lanes::load(std::int64_t lane_id) {
    const reset_guard reset(load_);
    load_.bind(1, lane_id);
    lane_row lane;
    if (load_.executeStep()) {
        lane.head = load_.getColumn(0).getInt64();
        lane.blocked = load_.getColumn(1).getInt() != 0;
        lane.gap = lane_gap(load_.getColumn(2).getString(), load_.getColumn(3).getInt64());
    }
    return lane;
}

std::int64_t lanes::first_occupant(std::int64_t lane_id) {
    const reset_guard reset(first_);
    first_.bind(1, lane_id);
    return first_.executeStep() ? first_.getColumn(0).getInt64() : 0;
}

void lanes::save(std::int64_t lane_id, const lane_row& lane) {
    const reset_guard reset(save_);
    if (lane.head != 0) {
        save_.bind(1, lane.head);
    } else {
        save_.bind(1);
    }
    save_.bind(2, lane.blocked ? 1 : 0);
    save_.bind(3, lane.gap.text());
    save_.bind(4, lane.gap.delivered());
    save_.bind(5, lane_id);
    save_.exec();
}

}  // namespace leasebox::sqlite
