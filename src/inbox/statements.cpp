#include "inbox/statements.hpp"

#include <sqlite3.h>

#include <string_view>

namespace leasebox::inbox {
namespace {

errc error_of(const SQLite::Exception& thrown) noexcept {
    if (std::string_view(thrown.what()).find("no such table") != std::string_view::npos) {
        return errc::no_schema;
    }
    switch (thrown.getErrorCode() & 0xFF) {
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

}  // namespace

void fail(const SQLite::Exception& thrown, const std::string& doing) {
    throw error(error_of(thrown), doing + ": " + thrown.what());
}

void require_transaction(SQLite::Database& database, const std::string& doing) {
    if (sqlite3_get_autocommit(database.getHandle()) == 0) return;
    throw error(errc::not_in_transaction, doing + " needs an open transaction: BEGIN IMMEDIATE");
}

}  // namespace leasebox::inbox
