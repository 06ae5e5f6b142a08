// The consumer's side: applies an event once, however often it is delivered.
//
//     SQLite::Transaction both(database, SQLite::TransactionBehavior::IMMEDIATE);
//     const auto found = leasebox::inbox::accept(database, message);
//     if (found.verdict == leasebox::inbox::arrival::first) {
//         apply(database, message);
//         leasebox::inbox::finish(database, message.id, 200, "{}");
//     }
//     both.commit();
//     // Only now answer: `found` says what, unless this was the first arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leasebox/core/error.hpp"
#include "leasebox/core/time.hpp"

namespace SQLite {
class Database;
}

namespace leasebox::inbox {

/// The longest answer that is stored.
inline constexpr std::size_t answer_bytes_max = 64 * 1024;

// Every function here works on the caller's connection. Use one connection from one thread at a
// time; any number of connections and processes may share the file. All of them throw
// leasebox::error: no_schema where create_schema was never called, busy where another writer held
// the file for longer than the connection's busy timeout, full, io, corrupt, store_failed.

/// Makes the table `leasebox_inbox` where there is none; may be called by many at once, inside a
/// transaction or outside. The table is public: its columns are documented, and may be read.
void create_schema(SQLite::Database& database);

/// What was delivered. The views must live until accept() has returned.
struct message {
    std::string_view id;         ///< webhook-id
    std::string_view source{};   ///< who sent it, where the consumer can tell
    std::optional<std::string_view> key{};    ///< leasebox-key
    std::optional<std::int64_t> lane_seq{};   ///< leasebox-lane-seq
    std::int64_t generation = 0;              ///< leasebox-generation; 0 where there is none
    std::string_view body{};                  ///< the bytes as they were received
    store_time received_at{};
};

enum class arrival : std::uint8_t {
    first,             ///< apply it now, then call finish() in the same transaction
    duplicate,         ///< it was applied: give the stored answer again
    stale_generation,  ///< a lookup was told that it was never seen: it must not be applied
    conflict,          ///< this id was applied with another body: it must not be applied
};
std::string_view to_string(arrival value) noexcept;

struct decision {
    arrival verdict = arrival::first;
    int status = 0;      ///< what finish() stored; only of a duplicate or a conflict
    std::string answer;  ///< what finish() stored; only of a duplicate or a conflict
};

/// Decides what to do with a delivery, and records it as received if it is the first. Promises
/// that of all deliveries of one id with one body, on whatever connections, exactly one whose
/// transaction commits was told `first`. A rollback forgets the delivery: the next is first again.
///
/// Bodies are compared by their SHA-256. A duplicate is one whatever its generation; the highest
/// generation is kept.
///
/// Needs an open transaction of the caller, else throws not_in_transaction. Begin it with
/// BEGIN IMMEDIATE: a deferred one may fail with busy as soon as it writes. Throws invalid_event
/// for an empty id.
decision accept(SQLite::Database& database, const message& delivered);

/// Stores what is answered to every later delivery of `id`. In the transaction of the accept()
/// that said `first`; without it that transaction must not commit, or later deliveries are first
/// as well. `status` is 100 to 599, `answer` has no more than answer_bytes_max bytes, else
/// throws invalid_option. Throws not_in_transaction, and invalid_event where no accept() of `id`
/// said `first`.
void finish(SQLite::Database& database, std::string_view id, int status, std::string_view answer);

/// For a lookup by the holder of `generation`: true if `id` was applied. If not, deliveries of
/// lower generations are refused from now on (stale_generation), so that "never seen" stays true
/// of them. Answer the lookup only after the commit. Needs a transaction as accept() does.
bool fence(SQLite::Database& database, std::string_view id, std::int64_t generation,
           store_time received_at);

/// Forgets up to `limit` events and fences that were received before `older_than`, the oldest
/// first, and says how many. An event that is forgotten would be applied again: keep them for
/// longer than the sender may retry. Without a transaction of the caller it is one by itself.
std::size_t prune(SQLite::Database& database, store_time older_than, std::size_t limit);

}  // namespace leasebox::inbox
