#include "sqlite/accounts.hpp"

namespace leasebox::sqlite {
namespace {

constexpr const char* counts_sql =
    "UPDATE leasebox_destination SET pending = pending + ?2, claimed = claimed + ?3, "
    "delivered = delivered + ?4, dead = dead + ?5, parked = parked + ?6, "
    "cancelled = cancelled + ?7, uncertain = uncertain + ?8, lanes_blocked = lanes_blocked + ?9, "
    "by_evidence = by_evidence + ?10, by_lookup = by_lookup + ?11 WHERE destination_id = ?1";

// One probe of the index for each of its classes, whatever the backlog.
constexpr const char* next_due_sql =
    "UPDATE leasebox_destination SET next_due = (SELECT min(at) FROM ("
    "  SELECT min(due_at) AS at FROM leasebox_work WHERE destination_id = ?1 AND due_class = 1 "
    "    AND due_at IS NOT NULL UNION ALL "
    "  SELECT min(due_at) FROM leasebox_work WHERE destination_id = ?1 AND due_class = 2 "
    "    AND due_at IS NOT NULL UNION ALL "
    "  SELECT min(due_at) FROM leasebox_work WHERE destination_id = ?1 AND due_class = 3 "
    "    AND due_at IS NOT NULL)) WHERE destination_id = ?1";

bool is_open_question(const event_row& row) noexcept {
    return row.uncertain && !is_settled(row.at);
}

}  // namespace

accounts::accounts(SQLite::Database& database)
    : counts_(database, counts_sql), next_due_(database, next_due_sql) {}

void accounts::moved(const work_row& before, const work_row& after) {
    change& noted = noted_[after.destination_id];
    if (before.event.at != after.event.at) {
        noted.events[before.event.at] -= 1;
        noted.events[after.event.at] += 1;
        if (after.event.at == state::delivered) {
            noted.by_evidence += after.event.how == cause::evidence ? 1 : 0;
            noted.by_lookup += after.event.how == cause::lookup ? 1 : 0;
        }
    }
    noted.uncertain += (is_open_question(after.event) ? 1 : 0) -
                       (is_open_question(before.event) ? 1 : 0);
}

void accounts::lane_blocked(std::int64_t destination_id, int by) {
    noted_[destination_id].lanes_blocked += by;
}

void accounts::write() {
    for (const auto& [destination_id, noted] : noted_) {
        write_counts(destination_id, noted);
        write_next_due(destination_id);
    }
    noted_.clear();
}

void accounts::write_counts(std::int64_t destination_id, const change& noted) {
    const reset_guard reset(counts_);
    counts_.bind(1, destination_id);
    for (int word = 1; word <= 6; ++word) {
        const auto found = noted.events.find(static_cast<state>(word));
        counts_.bind(1 + word, found == noted.events.end() ? 0 : found->second);
    }
    counts_.bind(8, noted.uncertain);
    counts_.bind(9, noted.lanes_blocked);
    counts_.bind(10, noted.by_evidence);
    counts_.bind(11, noted.by_lookup);
    counts_.exec();
}

void accounts::write_next_due(std::int64_t destination_id) {
    const reset_guard reset(next_due_);
    next_due_.bind(1, destination_id);
    next_due_.exec();
}

}  // namespace leasebox::sqlite
