// Retention: which settled rows are old enough, and their removal.
#pragma once

#include <vector>

#include "leasebox/store.hpp"
#include "sqlite/rows.hpp"

namespace leasebox::sqlite {

class pruning {
public:
    explicit pruning(SQLite::Database& database);

    /// Looks at the next rows of the sweep; changes nothing and needs no transaction. What may go
    /// is kept for remove().
    prune_result look(const prune_request& request, store_time now);
    bool found_any() const noexcept { return !found_.empty(); }

    /// Removes what look() found and is still as it was. Inside a write transaction.
    void remove(const prune_request& request, store_time now, prune_result& into);

    /// Gives a few free pages back to the file system; false where there are none to spare.
    bool give_back();

private:
    struct candidate {
        std::int64_t seq = 0;
        std::int64_t destination_id = 0;
        event_row event;
        bool occupies = false;
    };

    static candidate read(SQLite::Statement& query);
    static bool is_needed(const candidate& row, const prune_request& request, store_time now);
    int look_at(state at, const prune_request& request, store_time now, int rows_left,
                prune_result& into);
    bool is_asked_for(const candidate& row, const prune_request& request);
    bool may_still_go(std::int64_t seq, const prune_request& request, store_time now);
    std::int64_t free_pages();
    std::optional<std::int64_t> destination_of(const prune_request& request);

    SQLite::Database& database_;
    SQLite::Statement old_rows_;
    SQLite::Statement row_;
    SQLite::Statement remove_;
    SQLite::Statement destination_;
    SQLite::Statement free_pages_;
    std::optional<std::int64_t> destination_id_;
    std::vector<std::pair<std::int64_t, state>> found_;
};

}  // namespace leasebox::sqlite
