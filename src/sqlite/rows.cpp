#include "sqlite/rows.hpp"

namespace leasebox::sqlite {
namespace {

constexpr const char* row_columns =
    "w.seq, w.destination_id, w.lane_id, w.lane_seq, w.occupies, w.state, w.reason, w.cause, w.attempts, "
    "w.expiries, w.renewals, w.generation, w.owner, w.claimed_at, w.lease_until, w.not_before, "
    "w.budget_from, w.deadline, w.attempts_max, w.uncertain, w.last_outcome, w.http_status, "
    "w.last_error, w.ended_at, w.settled_at, w.replays, w.evidence_floor, w.suspect, w.due_class, w.due_at";

std::string select_row(const char* from_where) {
    return std::string("SELECT ").append(row_columns).append(from_where);
}

constexpr const char* save_sql =
    "UPDATE leasebox_work SET occupies = ?2, state = ?3, reason = ?4, cause = ?5, attempts = ?6, "
    "expiries = ?7, renewals = ?8, generation = ?9, owner = ?10, claimed_at = ?11, "
    "lease_until = ?12, not_before = ?13, budget_from = ?14, deadline = ?15, uncertain = ?16, "
    "last_outcome = ?17, http_status = ?18, last_error = ?19, ended_at = ?20, settled_at = ?21, "
    "replays = ?22, evidence_floor = ?23, suspect = ?24, due_class = ?25, due_at = ?26 "
    "WHERE seq = ?1";

// An attempt's record is written once, and once more if its owner reports late.
constexpr const char* save_attempt_sql =
    "INSERT OR REPLACE INTO leasebox_attempt (seq, generation, attempt, owner, claimed_at, "
    "lease_until, ended_at, outcome, late, http_status, phase, bytes_written, detail) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

constexpr const char* evidence_sql =
    "SELECT max(generation) FROM leasebox_attempt WHERE seq = ? AND generation > ? AND late = 1 "
    "AND outcome = 1";

// Reads the columns of one row in the order of the SELECT.
class column_reader {
public:
    explicit column_reader(SQLite::Statement& query) : query_(query) {}

    std::int64_t number() { return query_.getColumn(at_++).getInt64(); }
    int small() { return query_.getColumn(at_++).getInt(); }
    std::string text() { return query_.getColumn(at_++).getString(); }
    store_time time() { return from_ms(number()); }

    std::optional<store_time> optional_time() {
        return skip_null() ? std::nullopt : std::optional(time());
    }
    std::optional<int> optional_small() {
        return skip_null() ? std::nullopt : std::optional(small());
    }
    template <class Word>
    std::optional<Word> optional_word() {
        return skip_null() ? std::nullopt : std::optional(static_cast<Word>(small()));
    }

private:
    bool skip_null() {
        const bool null = query_.isColumnNull(at_);
        if (null) ++at_;
        return null;
    }

    SQLite::Statement& query_;
    int at_ = 0;
};

// Binds parameters one after the other.
class binder {
public:
    explicit binder(SQLite::Statement& statement) : statement_(statement) {}

    binder& number(std::int64_t value) { return statement_.bind(at_++, value), *this; }
    binder& text(const std::string& value) { return statement_.bindNoCopy(at_++, value), *this; }
    binder& time(store_time value) { return number(to_ms(value)); }
    binder& null() { return statement_.bind(at_++), *this; }

    binder& optional_time(const std::optional<store_time>& value) {
        return value ? time(*value) : null();
    }
    template <class Word>
    binder& optional_word(const std::optional<Word>& value) {
        return value ? number(static_cast<std::int64_t>(*value)) : null();
    }

private:
    SQLite::Statement& statement_;
    int at_ = 1;
};

void read_event(column_reader& next, event_row& row) {
    row.at = static_cast<state>(next.small());
    row.why = next.optional_word<reason>();
    row.how = next.optional_word<cause>();
    row.attempts = next.small();
    row.expiries = next.small();
    row.renewals = next.small();
    row.generation = next.number();
    row.owner = next.text();
    row.claimed_at = next.time();
    row.lease_until = next.time();
    row.not_before = next.time();
    row.budget_from = next.time();
    row.deadline = next.optional_time();
    row.attempts_max = next.optional_small();
    row.uncertain = next.small() != 0;
    row.last_outcome = next.optional_word<outcome>();
    row.http_status = next.small();
    row.last_error = next.text();
    row.ended_at = next.optional_time();
    row.settled_at = next.optional_time();
    row.replays = next.small();
    row.evidence_floor = next.number();
}

void bind_event(binder& next, const event_row& row) {
    next.number(static_cast<int>(row.at)).optional_word(row.why).optional_word(row.how);
    next.number(row.attempts).number(row.expiries).number(row.renewals).number(row.generation);
    next.text(row.owner).time(row.claimed_at).time(row.lease_until).time(row.not_before);
    next.time(row.budget_from).optional_time(row.deadline).number(row.uncertain ? 1 : 0);
    next.optional_word(row.last_outcome).number(row.http_status).text(row.last_error);
    next.optional_time(row.ended_at).optional_time(row.settled_at).number(row.replays);
    next.number(row.evidence_floor);
}

attempt_record read_attempt(SQLite::Statement& query) {
    column_reader next(query);
    attempt_record record;
    record.generation = next.number();
    record.attempt = next.small();
    record.owner = next.text();
    record.claimed_at = next.time();
    record.lease_until = next.time();
    record.ended_at = next.optional_time();
    record.result = next.optional_word<outcome>();
    record.late = next.small() != 0;
    record.http_status = next.small();
    record.reached = static_cast<phase>(next.small());
    record.bytes_written = next.number();
    record.detail = next.text();
    return record;
}

}  // namespace

rows::rows(SQLite::Database& database)
    : find_by_id_(database, select_row(" FROM leasebox_event AS e JOIN leasebox_work AS w "
                                       "ON w.seq = e.seq WHERE e.id = ?")),
      find_by_seq_(database, select_row(" FROM leasebox_work AS w WHERE w.seq = ?")),
      save_(database, save_sql),
      attempt_(database,
               "SELECT generation, attempt, owner, claimed_at, lease_until, ended_at, outcome, "
               "late, http_status, phase, bytes_written, detail FROM leasebox_attempt "
               "WHERE seq = ? AND generation = ?"),
      save_attempt_(database, save_attempt_sql),
      evidence_(database, evidence_sql) {}

std::optional<work_row> rows::load(SQLite::Statement& query) {
    const reset_guard reset(query);
    if (!query.executeStep()) return std::nullopt;
    column_reader next(query);
    work_row row;
    row.seq = next.number();
    row.destination_id = next.number();
    row.lane_id = next.number();
    row.lane_seq = next.number();
    row.occupies = next.small() != 0;
    read_event(next, row.event);
    row.suspect = next.small() != 0;
    row.due = next.optional_word<due_class>();
    row.due_at = next.time();
    return row;
}

std::optional<work_row> rows::find(const std::string& id) {
    find_by_id_.bindNoCopy(1, id);
    return load(find_by_id_);
}

std::optional<work_row> rows::find(std::int64_t seq) {
    find_by_seq_.bind(1, seq);
    return load(find_by_seq_);
}

void rows::save(const work_row& row) {
    const reset_guard reset(save_);
    binder next(save_);
    next.number(row.seq);
    row.occupies ? next.number(1) : next.null();
    bind_event(next, row.event);
    next.number(row.suspect ? 1 : 0).optional_word(row.due);
    row.due ? next.time(row.due_at) : next.null();
    save_.exec();
}

std::optional<attempt_record> rows::attempt(std::int64_t seq, std::int64_t generation) {
    const reset_guard reset(attempt_);
    attempt_.bind(1, seq);
    attempt_.bind(2, generation);
    if (!attempt_.executeStep()) return std::nullopt;
    return read_attempt(attempt_);
}

void rows::save_attempt(std::int64_t seq, const attempt_record& record) {
    const reset_guard reset(save_attempt_);
    binder next(save_attempt_);
    next.number(seq).number(record.generation).number(record.attempt).text(record.owner);
    next.time(record.claimed_at).time(record.lease_until).optional_time(record.ended_at);
    next.optional_word(record.result).number(record.late ? 1 : 0).number(record.http_status);
    next.number(static_cast<int>(record.reached)).number(record.bytes_written);
    next.text(record.detail);
    save_attempt_.exec();
}

void rows::add_history(work_row& row) {
    row.event.recorded = attempt(row.seq, row.event.generation).has_value();
    const reset_guard reset(evidence_);
    evidence_.bind(1, row.seq);
    evidence_.bind(2, row.event.evidence_floor);
    row.event.evidence_generation =
        evidence_.executeStep() ? evidence_.getColumn(0).getInt64() : 0;
}

}  // namespace leasebox::sqlite
