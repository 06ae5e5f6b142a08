// Several connections and processes on one file.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "fixture.hpp"

namespace leasebox {
namespace {

TEST_F(sqlite_file, many_may_make_the_schema_at_once) {
    std::vector<std::thread> starters;
    std::atomic<int> opened{0};
    for (int at = 0; at < 8; ++at) {
        starters.emplace_back([&] {
            sqlite::open(path(), how, clock);
            ++opened;
        });
    }
    for (auto& each : starters) each.join();
    EXPECT_EQ(opened, 8);
}

TEST_F(sqlite_file, two_stores_never_hold_the_same_event) {
    auto one = open_store();
    auto two = open_store();
    append_request request;
    for (int at = 0; at < 100; ++at) request.drafts.emplace_back("billing", "{}");
    ask<append_reply>(*one, request);
    std::set<std::string> seen;
    std::set<std::int64_t> generations;
    for (int round = 0; round < 10; ++round) {
        for (auto* events : {one.get(), two.get()}) {
            for (const auto& taken : claim(*events, 5)) {
                EXPECT_TRUE(seen.insert(taken.key.id).second);
                generations.insert(taken.key.generation);
            }
        }
    }
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(generations.size(), 20u);
}

TEST_F(sqlite_file, a_commit_of_somebody_else_is_noticed_once) {
    auto events = open_store();
    EXPECT_FALSE(events->changed_outside());
    SQLite::Database database = producer();
    database.exec("INSERT INTO leasebox_event (destination, payload) VALUES ('a', 'x')");
    EXPECT_TRUE(events->changed_outside());
    EXPECT_FALSE(events->changed_outside());
    claim(*events);
    EXPECT_FALSE(events->changed_outside());
}

TEST_F(sqlite_file, a_claim_that_finds_nothing_writes_nothing) {
    auto events = open_store();
    auto watcher = open_store();
    watcher->changed_outside();
    EXPECT_TRUE(claim(*events).empty());
    EXPECT_FALSE(watcher->changed_outside());
}

TEST_F(sqlite_file, a_writer_that_holds_the_database_is_waited_for) {
    auto events = open_store();
    ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    SQLite::Database holder = producer();
    holder.exec("BEGIN IMMEDIATE");
    std::atomic<bool> released{false};
    std::thread writer([&] {
        // The claim below is inside its patience for as long as this transaction is open.
        std::this_thread::yield();
        released = true;
        holder.exec("COMMIT");
    });
    EXPECT_EQ(claim(*events).size(), 1u);
    EXPECT_TRUE(released);
    writer.join();
}

TEST_F(sqlite_file, patience_ends_in_busy_and_nothing_is_believed) {
    how.patience = 1ms;
    auto events = open_store();
    ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    SQLite::Database holder = producer();
    holder.exec("BEGIN IMMEDIATE");
    try {
        claim(*events);
        FAIL() << "claimed while another writer held the store";
    } catch (const error& failed) {
        EXPECT_EQ(failed.code(), errc::busy);
    }
    holder.exec("COMMIT");
    EXPECT_EQ(claim(*events).size(), 1u);
}

TEST_F(sqlite_file, a_reader_that_reads_before_it_writes_does_not_disturb_us) {
    auto events = open_store();
    SQLite::Database reader = producer();
    reader.exec("BEGIN");
    reader.execAndGet("SELECT count(*) FROM leasebox_event").getInt();
    ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    EXPECT_EQ(claim(*events).size(), 1u);
    reader.exec("COMMIT");
}

TEST_F(sqlite_file, a_process_that_dies_between_claim_and_ack_leaves_an_expired_attempt) {
    {
        auto events = open_store();
        ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    }
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        auto events = open_store();
        claim(*events, 1, 5s, "api-1");
        _exit(9);  // no destructor runs, as after SIGKILL
    }
    int how_it_ended = 0;
    waitpid(child, &how_it_ended, 0);
    auto events = open_store();
    EXPECT_TRUE(claim(*events, 1, 5s, "api-1").empty());
    clock.advance(5100ms);
    const auto again = claim(*events, 1, 5s, "api-1");
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].attempt, 2);
    EXPECT_TRUE(again[0].uncertain);
    EXPECT_EQ(events->attempts(again[0].key.id)[0].result, outcome::expired);
}

TEST_F(sqlite_file, a_store_of_a_newer_version_is_refused_with_a_sentence) {
    open_store();
    producer().exec("UPDATE leasebox_meta SET value = 99 WHERE name = 'schema_version'");
    try {
        open_store();
        FAIL();
    } catch (const error& failed) {
        EXPECT_EQ(failed.code(), errc::schema_too_new);
        EXPECT_THAT(failed.sentence(), ::testing::HasSubstr("version 99"));
    }
}

TEST_F(sqlite_file, a_file_that_was_removed_or_replaced_takes_nothing_more) {
    auto events = open_store();
    ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path() + part);
    EXPECT_THROW(claim(*events), error);
    EXPECT_THROW(events->changed_outside(), error);
    auto fresh = open_store();
    EXPECT_THROW(claim(*events), error);
    EXPECT_TRUE(claim(*fresh).empty());
}

TEST_F(sqlite_file, a_file_that_is_no_database_is_called_damaged) {
    SQLite::Database(dir.file("x"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    FILE* file = fopen(path().c_str(), "w");
    for (int at = 0; at < 1000; ++at) fputs("this is not a database ", file);
    fclose(file);
    try {
        open_store();
        FAIL();
    } catch (const error& failed) {
        EXPECT_EQ(failed.code(), errc::corrupt);
    }
}

}  // namespace
}  // namespace leasebox
