#include "sqlite/connection.hpp"

#include <sqlite3.h>

#include <cstring>

namespace leasebox::sqlite {

errc error_of(int result_code) noexcept {
    switch (result_code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return errc::busy;
        case SQLITE_FULL: return errc::full;
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM: return errc::io;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return errc::corrupt;
        default: return errc::store_failed;
    }
}

void fail(const SQLite::Exception& thrown, const std::string& doing) {
    throw error(error_of(thrown.getErrorCode()), doing + ": " + thrown.what());
}

bool is_refusal(const SQLite::Exception& thrown) noexcept {
    const bool constraint = (thrown.getErrorCode() & 0xFF) == SQLITE_CONSTRAINT;
    // json_each reports a broken object as a plain error of the statement.
    return constraint || std::strcmp(thrown.what(), "malformed JSON") == 0;
}

SQLite::Database open_database(const std::string& path, const options& how) {
    const int flags =
        SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX | (how.create ? SQLite::OPEN_CREATE : 0);
    try {
        SQLite::Database database(path, flags, static_cast<int>(how.patience.count()));
        // Must come before the first table; on a file that has tables it would do nothing, but
        // take the write lock for it, and opening for a look must not wait for writers.
        if (database.execAndGet("PRAGMA page_count").getInt() == 0) {
            database.exec("PRAGMA auto_vacuum = INCREMENTAL");
        }
        database.exec("PRAGMA journal_mode = WAL");
        database.exec(how.durability == synchronous::full ? "PRAGMA synchronous = FULL"
                                                          : "PRAGMA synchronous = NORMAL");
        // Debian builds SQLite to overwrite what it frees with zeroes, which costs a write a row.
        database.exec("PRAGMA secure_delete = OFF");
        database.exec("PRAGMA temp_store = MEMORY");
        database.exec("PRAGMA cache_size = -65536");
        return database;
    } catch (const SQLite::Exception& thrown) {
        fail(thrown, "opening the store " + path);
    }
}

bool in_transaction(SQLite::Database& database) noexcept {
    return sqlite3_get_autocommit(database.getHandle()) == 0;
}

write_transaction::write_transaction(SQLite::Database& database) : database_(database) {
    database_.exec("BEGIN IMMEDIATE");
}

write_transaction::~write_transaction() {
    if (!in_transaction(database_)) return;
    try {
        database_.exec("ROLLBACK");
    } catch (const SQLite::Exception&) {
        // Nothing of it was committed; the connection's next statement will say what is wrong.
    }
}

void write_transaction::commit() { database_.exec("COMMIT"); }

}  // namespace leasebox::sqlite
