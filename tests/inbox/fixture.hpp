// An inbox in a file, and a consumer whose effects are rows.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "leasebox/inbox.hpp"
#include "support/temp_dir.hpp"

namespace leasebox {

struct inbox_file : ::testing::Test {
    testing::temp_dir dir;

    inbox_file() {
        SQLite::Database database = open();
        database.exec("PRAGMA journal_mode = WAL");
        database.exec("CREATE TABLE effect (event_id TEXT NOT NULL)");
        inbox::create_schema(database);
    }

    SQLite::Database open() const {
        return SQLite::Database(dir.file("inbox.db"),
                                SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 20'000);
    }

    static inbox::message message(std::string_view id, std::int64_t generation = 1,
                                  std::string_view body = "{}") {
        inbox::message made;
        made.id = id;
        made.generation = generation;
        made.body = body;
        made.received_at = from_ms(1000);
        return made;
    }

    /// The consumer: one transaction, one effect for each first arrival.
    static inbox::decision deliver(SQLite::Database& database, const inbox::message& delivered) {
        SQLite::Transaction both(database, SQLite::TransactionBehavior::IMMEDIATE);
        const inbox::decision found = inbox::accept(database, delivered);
        if (found.verdict == inbox::arrival::first) {
            database.exec("INSERT INTO effect VALUES ('" + std::string(delivered.id) + "')");
            inbox::finish(database, delivered.id, 201, "done");
        }
        both.commit();
        return found;
    }

    static inbox::arrival verdict(SQLite::Database& database, const inbox::message& delivered) {
        return deliver(database, delivered).verdict;
    }

    static bool fence(SQLite::Database& database, std::string_view id, std::int64_t generation) {
        SQLite::Transaction one(database, SQLite::TransactionBehavior::IMMEDIATE);
        const bool applied = inbox::fence(database, id, generation, from_ms(1000));
        one.commit();
        return applied;
    }

    static int number(SQLite::Database& database, const std::string& sql) {
        return database.execAndGet(sql).getInt();
    }
};

template <class Act>
errc code_of(Act act) {
    try {
        act();
    } catch (const error& failed) {
        return static_cast<errc>(failed.code().value());
    }
    return {};
}

}  // namespace leasebox
