#include "apps/receive/ledger.hpp"

#include <sqlite3.h>

#include "apps/receive/response.hpp"
#include "leasebox/clock.hpp"
#include "leasebox/inbox.hpp"

namespace leasebox::apps {
namespace {

constexpr int patience_ms = 5000;

constexpr const char* effect_schema = R"sql(
CREATE TABLE IF NOT EXISTS received_effect (
  n INTEGER PRIMARY KEY, event_id TEXT NOT NULL, key TEXT, lane_seq INTEGER,
  generation INTEGER NOT NULL, applied_at INTEGER NOT NULL, body BLOB NOT NULL))sql";

constexpr const char* effect_sql =
    "INSERT INTO received_effect (event_id, key, lane_seq, generation, applied_at, body) "
    "VALUES (?, ?, ?, ?, ?, ?)";

SQLite::Database open_ledger(const receive_options& options) {
    const std::string path = options.inbox_path.empty() ? ":memory:" : options.inbox_path;
    try {
        SQLite::Database database(
            path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX, patience_ms);
        database.exec("PRAGMA journal_mode = WAL");
        database.exec(options.full_sync ? "PRAGMA synchronous = FULL"
                                        : "PRAGMA synchronous = NORMAL");
        database.exec(effect_schema);
        inbox::create_schema(database);
        return database;
    } catch (const SQLite::Exception& thrown) {
        throw error(errc::io, "opening the inbox " + path + ": " + thrown.what());
    }
}

inbox::message message_of(const delivery& what, store_time now) {
    inbox::message message;
    message.id = what.id;
    if (what.key) message.key = *what.key;
    message.lane_seq = what.lane_seq;
    message.generation = what.generation.value_or(0);
    message.body = what.body;
    message.received_at = now;
    return message;
}

}  // namespace

ledger::ledger(const receive_options& options)
    : database_(open_ledger(options)), effect_(database_, effect_sql) {}

void ledger::begin() { database_.exec("BEGIN IMMEDIATE"); }

void ledger::commit() { database_.exec("COMMIT"); }

void ledger::roll_back() noexcept {
    if (sqlite3_get_autocommit(database_.getHandle()) != 0) return;
    sqlite3_exec(database_.getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

outcome ledger::handle(const delivery& what) {
    return what.what == ask::apply ? apply(what) : look_up(what);
}

outcome ledger::apply(const delivery& what) {
    const store_time now = system_clock().read().wall;
    inbox::decision found = inbox::accept(database_, message_of(what, now));
    const std::string_view verdict = inbox::to_string(found.verdict);
    switch (found.verdict) {
        case inbox::arrival::first:
            add_effect(what, now);
            found.status = 200;
            found.answer = R"({"applied":true})";
            inbox::finish(database_, what.id, found.status, found.answer);
            return {verdict, found.status, std::move(found.answer), false};
        case inbox::arrival::duplicate:
            return {verdict, found.status, std::move(found.answer), true};
        case inbox::arrival::conflict:
            return {verdict, 422, error_body("this id was applied with another body"), false};
        case inbox::arrival::stale_generation: break;
    }
    return {verdict, 409, error_body("a newer generation has asked for this id"), false};
}

outcome ledger::look_up(const delivery& what) {
    const store_time now = system_clock().read().wall;
    const bool seen = inbox::fence(database_, what.id, what.generation.value_or(0), now);
    if (seen) return {"seen", 200, R"({"seen":true})", false};
    return {"not_seen", 404, R"({"seen":false})", false};
}

void ledger::add_effect(const delivery& what, store_time now) {
    effect_.reset();
    effect_.clearBindings();
    effect_.bind(1, what.id);
    if (what.key) effect_.bind(2, *what.key);
    if (what.lane_seq) effect_.bind(3, *what.lane_seq);
    effect_.bind(4, what.generation.value_or(0));
    effect_.bind(5, to_ms(now));
    effect_.bind(6, what.body.data(), static_cast<int>(what.body.size()));
    effect_.exec();
    effect_.reset();
}

}  // namespace leasebox::apps
