// Append inside the application's own transaction, on the application's own connection.
#pragma once

#include "leasebox/core/error.hpp"
#include "leasebox/core/event.hpp"

struct sqlite3;

namespace SQLite {
class Database;
}

namespace leasebox::sqlite {

enum class require_transaction : bool { no, yes };

/// Appends `event` as part of whatever transaction is open on `database`; it is delivered only if
/// that commits. With `require_transaction::yes`, fails with not_in_transaction where none is
/// open, so that a forgotten BEGIN is noticed.
///
/// Throws leasebox::error: duplicate_id, invalid_event (with the database's sentence, which names
/// the column and the rule), no_schema, not_in_transaction, busy, full, io. Nothing is retried:
/// the transaction is the caller's. Use one connection from one thread at a time.
receipt append(SQLite::Database& database, const draft& event,
               require_transaction rule = require_transaction::no);

/// The same on a raw handle, which any wrapper of SQLite can give. The handle must belong to the
/// copy of SQLite that this library is linked with.
receipt append(sqlite3* database, const draft& event,
               require_transaction rule = require_transaction::no);

}  // namespace leasebox::sqlite
