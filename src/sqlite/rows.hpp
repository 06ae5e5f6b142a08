// The two tables that move: an event's state row and its attempts. Loading and saving only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leasebox/core/model.hpp"
#include "sqlite/connection.hpp"

namespace leasebox::sqlite {

/// Which part of the claim's index a row is in.
enum class due_class : std::uint8_t { claimed = 1, pending = 2, suspect = 3 };

/// One row of leasebox_work.
struct work_row {
    std::int64_t seq = 0;
    std::int64_t destination_id = 0;
    std::int64_t lane_id = 0;  ///< 0 = no lane
    std::int64_t lane_seq = 0;
    bool occupies = false;
    bool suspect = false;  ///< as the last owner's budgets see it
    event_row event;
    std::optional<due_class> due;
    store_time due_at{};
};

class rows {
public:
    explicit rows(SQLite::Database& database);

    std::optional<work_row> find(const std::string& id);
    std::optional<work_row> find(std::int64_t seq);
    void save(const work_row& row);

    std::optional<attempt_record> attempt(std::int64_t seq, std::int64_t generation);
    void save_attempt(std::int64_t seq, const attempt_record& record);

    /// Fills in what the model needs to know from the attempts ledger.
    void add_history(work_row& row);

private:
    std::optional<work_row> load(SQLite::Statement& query);

    SQLite::Statement find_by_id_;
    SQLite::Statement find_by_seq_;
    SQLite::Statement save_;
    SQLite::Statement attempt_;
    SQLite::Statement save_attempt_;
    SQLite::Statement evidence_;
};

/// Resets a statement when a scope ends, so that none is left open at commit.
class reset_guard {
public:
    explicit reset_guard(SQLite::Statement& statement) : statement_(statement) {}
    ~reset_guard() { statement_.tryReset(); }
    reset_guard(const reset_guard&) = delete;
    reset_guard& operator=(const reset_guard&) = delete;

private:
    SQLite::Statement& statement_;
};

}  // namespace leasebox::sqlite
