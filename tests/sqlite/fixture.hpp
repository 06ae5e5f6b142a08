// A SQLite store in a fresh file, and plain connections to it as a producer has them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leasebox/sqlite/append.hpp"
#include "leasebox/sqlite/store.hpp"
#include "leasebox/testing/manual_clock.hpp"
#include "support/temp_dir.hpp"

namespace leasebox {

using namespace std::chrono_literals;

struct sqlite_file : ::testing::Test {
    std::string path() const { return dir.file("app.db"); }

    std::unique_ptr<store> open_store() { return sqlite::open(path(), how, clock); }

    SQLite::Database producer() const {
        return SQLite::Database(path(), SQLite::OPEN_READWRITE, 5000);
    }

    template <class Reply, class Request>
    static Reply ask(store& events, Request request) {
        const std::vector<operation> batch{std::move(request)};
        const std::vector<reply> replies = events.commit(batch);
        return std::get<Reply>(replies.at(0));
    }
    static std::vector<claimed_event> claim(store& events, int limit = 1, milliseconds lease = 30s,
                                            const std::string& owner = "w") {
        claim_request request;
        request.owner = owner;
        request.limit = limit;
        request.lease = lease;
        request.any_destination = true;
        request.alone = true;
        return ask<claim_reply>(events, request).events;
    }
    static ack_reply ack(store& events, const claim_key& key, outcome result) {
        ack_request request;
        request.command.key = key;
        request.command.what = report(result);
        return ask<ack_reply>(events, request);
    }

    testing::temp_dir dir;
    // Producers' plain SQL reads the host's clock, so this one starts where that stands.
    leasebox::testing::manual_clock clock{system_clock().read().wall};
    sqlite::options how;
};

}  // namespace leasebox
