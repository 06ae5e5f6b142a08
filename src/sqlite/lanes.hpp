// Lanes: which event of a (destination, key) is at the head, and so may move.
#pragma once

#include "leasebox/core/lane_gap.hpp"
#include "sqlite/accounts.hpp"
#include "sqlite/rows.hpp"

namespace leasebox::sqlite {

/// Saves rows together with everything that follows from a change: the index, the lane's next
/// head, the counts. The only way in which a row is written.
class lanes {
public:
    lanes(SQLite::Database& database, rows& table, accounts& counts);

    /// Writes `after` in place of `before`. `dead_head` says whether a death frees the lane.
    void replace(const work_row& before, work_row after, const transition& done,
                 const budgets* limits, on_dead dead_head);

private:
    struct lane_row {
        std::int64_t head = 0;  ///< 0 = the lane is empty
        bool blocked = false;
        lane_gap gap;

        friend bool operator==(const lane_row&, const lane_row&) = default;
    };

    void refresh(const work_row& before, const work_row& after);
    bool promote(std::int64_t seq);
    lane_row load(std::int64_t lane_id);
    std::int64_t first_occupant(std::int64_t lane_id);
    bool release_old_head(const lane_row& lane, std::int64_t next);
    void save(std::int64_t lane_id, const lane_row& lane);

    rows& rows_;
    accounts& accounts_;
    SQLite::Statement load_;
    SQLite::Statement first_;
    SQLite::Statement save_;
};

}  // namespace leasebox::sqlite
