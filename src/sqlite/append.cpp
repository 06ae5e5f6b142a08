#include "sqlite/append.hpp"

#include <sqlite3.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

#include "leasebox/core/text.hpp"
#include "leasebox/sqlite/append.hpp"
#include "sqlite/connection.hpp"

namespace leasebox::sqlite {
namespace {

// Delays and lifetimes count from the store's time, which the trigger takes to be the larger of
// the wall clock and the store's mark.
constexpr const char* insert_sql =
    "INSERT INTO leasebox_event (destination, payload, id, key, type, content_type, headers, "
    "not_before, deadline, attempts_max) "
    "SELECT ?1, ?2, coalesce(?3, (SELECT lower("
    "  substr(printf('%012x', t.ms), 1, 8) || '-' || substr(printf('%012x', t.ms), 9, 4) || '-7'"
    "  || substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + (abs(random()) % 4), 1) ||"
    "  substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))))), "
    "?4, ?5, ?6, ?7, t.ms + ?8, t.ms + ?9, ?10 "
    "FROM (SELECT max(clock_ms, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)) AS ms"
    "      FROM leasebox_store) AS t RETURNING id, seq";

std::string headers_text(const draft& event) {
    if (event.headers.empty()) return "{}";
    boost::json::object object;
    for (const auto& [name, value] : event.headers) object[name] = value;
    return boost::json::serialize(object);
}

void bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
    sqlite3_bind_text64(statement, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void bind_text(sqlite3_stmt* statement, int at, const std::optional<std::string>& text) {
    if (text) {
        bind_text(statement, at, *text);
    } else {
        sqlite3_bind_null(statement, at);
    }
}

errc insert_error(sqlite3* database, const std::string& sentence) noexcept {
    const int code = sqlite3_extended_errcode(database);
    if (sentence == "leasebox: id: already used") return errc::duplicate_id;
    if ((code & 0xFF) == SQLITE_CONSTRAINT || sentence == "malformed JSON") {
        return errc::invalid_event;
    }
    if (code == SQLITE_TOOBIG) return errc::invalid_event;
    return error_of(code);
}

[[noreturn]] void fail_insert(sqlite3* database) {
    const std::string sentence = sqlite3_errmsg(database);
    throw error(insert_error(database, sentence), sentence);
}

void check_draft(const draft& event) {
    if (event.delay.count() < 0) {
        throw error(errc::invalid_event, "leasebox: delay: must not be negative");
    }
    if (event.lifetime && event.lifetime->count() < 1) {
        throw error(errc::invalid_event, "leasebox: lifetime: must be at least 1 ms");
    }
}

// Clamped, so that no sum in the statement can overflow.
std::int64_t bounded(milliseconds value) noexcept {
    return std::min<std::int64_t>(value.count(), to_ms(store_time_max) / 2);
}

}  // namespace

appender::appender(sqlite3* database) : database_(database) {
    const int code = sqlite3_prepare_v3(database, insert_sql, -1, SQLITE_PREPARE_PERSISTENT,
                                        &insert_, nullptr);
    if (code == SQLITE_OK) return;
    const std::string sentence = sqlite3_errmsg(database);
    if (sentence.find("no such table") != std::string::npos) {
        throw error(errc::no_schema,
                    "the database holds no leasebox schema; run 'leasebox init' on it");
    }
    throw error(error_of(code), "preparing an append: " + sentence);
}

appender::~appender() { sqlite3_finalize(insert_); }

receipt appender::append(const draft& event) {
    check_draft(event);
    const std::string headers = headers_text(event);
    bind(event, headers);
    if (sqlite3_step(insert_) != SQLITE_ROW) {
        sqlite3_reset(insert_);
        fail_insert(database_);
    }
    receipt done(reinterpret_cast<const char*>(sqlite3_column_text(insert_, 0)),
                 sqlite3_column_int64(insert_, 1));
    // Only the step after the row completes the INSERT.
    const int code = sqlite3_step(insert_);
    sqlite3_reset(insert_);
    if (code != SQLITE_DONE) fail_insert(database_);
    return done;
}

void appender::bind(const draft& event, const std::string& headers) {
    bind_text(insert_, 1, event.destination);
    // As text where it is text, so that SQL can look into it.
    if (is_text(event.payload)) {
        bind_text(insert_, 2, event.payload);
    } else {
        sqlite3_bind_blob64(insert_, 2, event.payload.data(), event.payload.size(), SQLITE_STATIC);
    }
    if (event.id.empty()) {
        sqlite3_bind_null(insert_, 3);
    } else {
        bind_text(insert_, 3, event.id);
    }
    bind_text(insert_, 4, event.key);
    bind_text(insert_, 5, event.type);
    bind_text(insert_, 6, event.content_type);
    bind_text(insert_, 7, headers);
    sqlite3_bind_int64(insert_, 8, bounded(event.delay));
    if (event.lifetime) {
        sqlite3_bind_int64(insert_, 9, bounded(*event.lifetime));
    } else {
        sqlite3_bind_null(insert_, 9);
    }
    if (event.attempts_max) {
        sqlite3_bind_int(insert_, 10, *event.attempts_max);
    } else {
        sqlite3_bind_null(insert_, 10);
    }
}

receipt append(sqlite3* database, const draft& event, require_transaction rule) {
    if (rule == require_transaction::yes && sqlite3_get_autocommit(database) != 0) {
        throw error(errc::not_in_transaction, "append: no transaction is open on the connection");
    }
    appender once(database);
    return once.append(event);
}

receipt append(SQLite::Database& database, const draft& event, require_transaction rule) {
    return append(database.getHandle(), event, rule);
}

}  // namespace leasebox::sqlite
