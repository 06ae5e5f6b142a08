// Making the schema, and refusing one that this version does not understand.
#pragma once

#include "sqlite/connection.hpp"

namespace leasebox::sqlite {

/// Makes the schema where there is none and brings an older one up to date, in one transaction,
/// so that many may start at once. Throws errc::schema_too_new.
void migrate(SQLite::Database& database, std::int64_t payload_bytes_max);

/// Throws errc::no_schema or errc::schema_too_new unless the schema can be worked with.
void require_schema(SQLite::Database& database);

}  // namespace leasebox::sqlite
