// The SQLite store: one file that the application's own tables share.
#pragma once

#include <memory>
#include <string>

#include "leasebox/clock.hpp"
#include "leasebox/store.hpp"

namespace SQLite {
class Database;
}

namespace leasebox::sqlite {

enum class synchronous : std::uint8_t {
    normal,  ///< survives a crash of the process; a power cut may undo the last commits
    full,    ///< a committed transaction survives a power cut
};

struct options {
    synchronous durability = synchronous::full;
    milliseconds patience = std::chrono::seconds{5};  ///< with other writers; 1 ms to 10 min
    bool create = true;  ///< make the file and the schema where they are missing
    /// How many bytes a payload may have; kept in the store by the first who creates it.
    std::int64_t payload_bytes_max = 1024 * 1024;
};

/// Opens the store at `path`, creating or migrating its schema. Throws leasebox::error: no_schema
/// (without `create`), schema_too_new, busy, io, corrupt, full, invalid_option.
/// `clock` must outlive the store.
std::unique_ptr<store> open(const std::string& path, const options& how = {},
                            clock& clock = system_clock());

/// The schema as SQL text, for those who run their own migrations.
std::string schema_sql();

/// Makes or migrates the schema inside an open database of the application.
void create_schema(SQLite::Database& database);

/// The open database of a transaction that runs on this store's actor.
SQLite::Database& database_of(transaction& open);

}  // namespace leasebox::sqlite
