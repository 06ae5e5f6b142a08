// The inbox's SQL, and telling SQLite's errors in our words.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "leasebox/core/error.hpp"

namespace leasebox::inbox {

/// A row with a body_hash was received; one with a status was applied as well. A row without
/// either is a fence.
inline constexpr const char* schema_sql = R"sql(
CREATE TABLE IF NOT EXISTS leasebox_inbox (
  event_id    TEXT    NOT NULL PRIMARY KEY,
  source      TEXT    NOT NULL DEFAULT '',
  key         TEXT,
  lane_seq    INTEGER,
  generation  INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  status      INTEGER,
  answer      BLOB,
  body_hash   BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS leasebox_inbox_received ON leasebox_inbox (received_at);
)sql";

inline constexpr const char* find_sql =
    "SELECT generation, status, answer, body_hash FROM leasebox_inbox WHERE event_id = ?";

/// Changes nothing where the event is known.
inline constexpr const char* receive_sql = R"sql(
INSERT INTO leasebox_inbox (event_id, source, key, lane_seq, generation, received_at, body_hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (event_id) DO NOTHING
)sql";

/// Of an event that is known and was not applied.
inline constexpr const char* receive_known_sql = R"sql(
UPDATE leasebox_inbox SET source = ?2, key = ?3, lane_seq = ?4, generation = ?5, received_at = ?6,
  body_hash = ?7 WHERE event_id = ?1
)sql";

inline constexpr const char* raise_sql =
    "UPDATE leasebox_inbox SET generation = ?2 WHERE event_id = ?1 AND generation < ?2";

inline constexpr const char* finish_sql =
    "UPDATE leasebox_inbox SET status = ?2, answer = ?3 "
    "WHERE event_id = ?1 AND status IS NULL AND body_hash IS NOT NULL";

inline constexpr const char* fence_sql = R"sql(
INSERT INTO leasebox_inbox (event_id, generation, received_at) VALUES (?1, ?2, ?3)
ON CONFLICT (event_id) DO UPDATE SET generation = max(generation, excluded.generation)
)sql";

inline constexpr const char* prune_sql = R"sql(
DELETE FROM leasebox_inbox WHERE event_id IN (
  SELECT event_id FROM leasebox_inbox WHERE received_at < ?1 ORDER BY received_at LIMIT ?2)
)sql";

/// Rethrows a SQLite error as ours, with `doing` in front of SQLite's own sentence.
[[noreturn]] void fail(const SQLite::Exception& thrown, const std::string& doing);

/// Throws not_in_transaction unless the caller has one open on the connection.
void require_transaction(SQLite::Database& database, const std::string& doing);

}  // namespace leasebox::inbox
