// The destinations' counts and their next due times, kept in step with every change of a row and
// written once a transaction.
#pragma once

#include <map>
#include <string>

#include "sqlite/rows.hpp"

namespace leasebox::sqlite {

class accounts {
public:
    explicit accounts(SQLite::Database& database);

    /// Notes that a row goes from `before` to `after`.
    void moved(const work_row& before, const work_row& after);
    /// Notes that a lane of the destination became blocked (+1) or free (-1).
    void lane_blocked(std::int64_t destination_id, int by);
    /// Writes what was noted and brings next_due of the touched destinations up to date.
    void write();
    /// Forgets what was noted, after a rollback.
    void forget() { noted_.clear(); }

private:
    struct change {
        std::map<state, int> events;
        int uncertain = 0;
        int lanes_blocked = 0;
        int by_evidence = 0;
        int by_lookup = 0;
    };

    void write_counts(std::int64_t destination_id, const change& noted);
    void write_next_due(std::int64_t destination_id);

    std::map<std::int64_t, change> noted_;
    SQLite::Statement counts_;
    SQLite::Statement next_due_;
};

}  // namespace leasebox::sqlite
