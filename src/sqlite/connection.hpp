// Opening a SQLite file the way the store needs it, and telling its errors in our words.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "leasebox/core/error.hpp"
#include "leasebox/sqlite/store.hpp"

namespace leasebox::sqlite {

/// Our word for a result code of SQLite, extended or not.
errc error_of(int result_code) noexcept;

/// Rethrows a SQLite error as ours, with `doing` in front of SQLite's own sentence.
[[noreturn]] void fail(const SQLite::Exception& thrown, const std::string& doing);

/// True where a rule of the schema refused the statement; everything else still stands.
bool is_refusal(const SQLite::Exception& thrown) noexcept;

/// Opens the file with the pragmas of the store: WAL, the asked-for durability, patience.
SQLite::Database open_database(const std::string& path, const options& how);

/// BEGIN IMMEDIATE … COMMIT. A transaction that is not committed is rolled back, unless SQLite
/// did that itself, as it does on a full disk.
class write_transaction {
public:
    explicit write_transaction(SQLite::Database& database);
    ~write_transaction();
    write_transaction(const write_transaction&) = delete;
    write_transaction& operator=(const write_transaction&) = delete;

    void commit();

private:
    SQLite::Database& database_;
};

/// Whether a transaction is open on the connection.
bool in_transaction(SQLite::Database& database) noexcept;

}  // namespace leasebox::sqlite
