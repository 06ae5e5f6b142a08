#include "sqlite/reads.hpp"

#include <algorithm>

namespace leasebox::sqlite {
namespace {

constexpr const char* event_sql =
    "SELECT e.id, e.destination, e.key, e.type, length(CAST(e.payload AS BLOB)), w.appended_at "
    "FROM leasebox_event AS e JOIN leasebox_work AS w ON w.seq = e.seq WHERE e.seq = ?";

// The oldest pending event is the one with the lowest seq: a replay keeps seq and age.
constexpr const char* stats_sql =
    "SELECT d.name, d.pending, d.claimed, d.delivered, d.dead, d.parked, d.cancelled, d.paused, "
    "d.lanes_blocked, d.uncertain, d.by_evidence, d.by_lookup, "
    "(SELECT w.appended_at FROM leasebox_work AS w INDEXED BY leasebox_work_pending "
    "  WHERE w.destination_id = d.destination_id AND w.state = 1 ORDER BY w.seq LIMIT 1), "
    "d.pruned_dead "
    "FROM leasebox_destination AS d ORDER BY d.name";

std::optional<std::string> optional_text(SQLite::Statement& query, int at) {
    if (query.isColumnNull(at)) return std::nullopt;
    return query.getColumn(at).getString();
}

// Drives the query by the most selective thing that is asked for.
std::string list_sql(const list_filter& filter) {
    std::string sql =
        "SELECT w.seq FROM leasebox_work AS w JOIN leasebox_event AS e ON e.seq = w.seq "
        "WHERE w.seq > :after";
    if (filter.at == state::dead) sql += " AND w.state IN (4, 5) AND w.state = 4";
    if (filter.at == state::parked) sql += " AND w.state IN (4, 5) AND w.state = 5";
    if (filter.at && filter.at != state::dead && filter.at != state::parked) {
        sql += " AND w.state = :state";
    }
    if (filter.destination) sql += " AND e.destination = :destination";
    if (filter.key) sql += " AND e.key = :key";
    if (filter.why) sql += " AND w.reason = :reason";
    return sql + " ORDER BY w.seq LIMIT :limit";
}

}  // namespace

event_status reads::status_of(std::int64_t seq) {
    SQLite::Statement query(database_, event_sql);
    query.bind(1, seq);
    query.executeStep();
    event_status found;
    found.id = query.getColumn(0).getString();
    found.destination = query.getColumn(1).getString();
    found.key = optional_text(query, 2);
    found.type = optional_text(query, 3);
    found.payload_bytes = query.getColumn(4).getInt64();
    found.appended_at = from_ms(query.getColumn(5).getInt64());
    found.seq = seq;
    work_row row = *rows_.find(seq);
    rows_.add_history(row);
    found.row = row.event;
    return found;
}

std::optional<event_status> reads::status(const std::string& id) {
    const std::optional<work_row> row = rows_.find(id);
    if (!row) return std::nullopt;
    return status_of(row->seq);
}

std::vector<attempt_record> reads::attempts(const std::string& id) {
    std::vector<attempt_record> found;
    std::optional<work_row> row = rows_.find(id);
    if (!row) return found;
    SQLite::Statement query(database_,
                            "SELECT generation FROM leasebox_attempt WHERE seq = ? "
                            "ORDER BY generation");
    query.bind(1, row->seq);
    while (query.executeStep()) {
        found.push_back(*rows_.attempt(row->seq, query.getColumn(0).getInt64()));
    }
    rows_.add_history(*row);
    if (auto last = unrecorded_attempt(row->event)) found.push_back(std::move(*last));
    return found;
}

std::vector<event_status> reads::list(const list_filter& filter) {
    SQLite::Statement query(database_, list_sql(filter));
    query.bind(":after", filter.after_seq);
    query.bind(":limit", filter.limit);
    if (filter.at && filter.at != state::dead && filter.at != state::parked) {
        query.bind(":state", static_cast<int>(*filter.at));
    }
    if (filter.destination) query.bind(":destination", *filter.destination);
    if (filter.key) query.bind(":key", *filter.key);
    if (filter.why) query.bind(":reason", static_cast<int>(*filter.why));
    std::vector<event_status> found;
    while (query.executeStep()) found.push_back(status_of(query.getColumn(0).getInt64()));
    return found;
}

std::optional<explanation> reads::explain(const std::string& id, store_time now) {
    const std::optional<work_row> row = rows_.find(id);
    if (!row) return std::nullopt;
    surroundings around;
    SQLite::Statement query(
        database_,
        "SELECT d.paused, l.head, e.id FROM leasebox_destination AS d "
        "LEFT JOIN leasebox_lane AS l ON l.lane_id = ?2 LEFT JOIN leasebox_event AS e "
        "ON e.seq = l.head WHERE d.destination_id = ?1");
    query.bind(1, row->destination_id);
    query.bind(2, row->lane_id);
    if (query.executeStep()) {
        around.destination_paused = query.getColumn(0).getInt() != 0;
        const std::int64_t head = query.getColumn(1).getInt64();
        if (row->lane_id != 0 && head != 0 && head != row->seq) {
            around.head_id = query.getColumn(2).getString();
            around.head = rows_.find(head)->event;
        }
    }
    return leasebox::explain(row->event, around, now);
}

store_stats reads::stats() {
    store_stats all;
    SQLite::Statement query(database_, stats_sql);
    while (query.executeStep()) {
        destination_stats& one = all.destinations[query.getColumn(0).getString()];
        for (int word = 1; word <= 6; ++word) {
            one.events[static_cast<state>(word)] = query.getColumn(word).getInt64();
        }
        one.paused = query.getColumn(7).getInt() != 0;
        all.lanes_blocked += query.getColumn(8).getInt64();
        all.uncertain += query.getColumn(9).getInt64();
        all.resends_avoided[cause::evidence] += query.getColumn(10).getInt64();
        all.resends_avoided[cause::lookup] += query.getColumn(11).getInt64();
        if (!query.isColumnNull(12)) one.oldest_pending = from_ms(query.getColumn(12).getInt64());
        one.pruned_dead = query.getColumn(13).getInt64();
    }
    return all;
}

}  // namespace leasebox::sqlite
