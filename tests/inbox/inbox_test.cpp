#include "fixture.hpp"

namespace leasebox {
namespace {

using inbox::arrival;

struct accepting : inbox_file {
    SQLite::Database database = open();
};

TEST_F(accepting, an_event_is_applied_once_and_its_answer_is_given_again) {
    EXPECT_EQ(verdict(database, message("e1")), arrival::first);
    for (const std::int64_t generation : {1, 2, 1}) {
        const inbox::decision again = deliver(database, message("e1", generation));
        EXPECT_EQ(again.verdict, arrival::duplicate);
        EXPECT_EQ(again.status, 201);
        EXPECT_EQ(again.answer, "done");
    }
    EXPECT_EQ(number(database, "SELECT count(*) FROM effect"), 1);
    EXPECT_EQ(number(database, "SELECT generation FROM leasebox_inbox"), 2);
}

TEST_F(accepting, what_was_delivered_can_be_read) {
    inbox::message keyed = message("e1", 3, "");
    keyed.source = "shop";
    keyed.key = "customer-7";
    keyed.lane_seq = 9;
    deliver(database, keyed);
    SQLite::Statement row(database,
                          "SELECT source, key, lane_seq, generation, received_at, status, answer "
                          "FROM leasebox_inbox WHERE event_id = 'e1'");
    ASSERT_TRUE(row.executeStep());
    EXPECT_EQ(row.getColumn(0).getString(), "shop");
    EXPECT_EQ(row.getColumn(1).getString(), "customer-7");
    EXPECT_EQ(row.getColumn(2).getInt(), 9);
    EXPECT_EQ(row.getColumn(3).getInt(), 3);
    EXPECT_EQ(row.getColumn(4).getInt(), 1000);
    EXPECT_EQ(row.getColumn(5).getInt(), 201);
    EXPECT_EQ(row.getColumn(6).getString(), "done");
}

TEST_F(accepting, another_body_is_a_conflict_and_changes_nothing) {
    deliver(database, message("e1", 1, "a"));
    EXPECT_EQ(verdict(database, message("e1", 5, "b")), arrival::conflict);
    EXPECT_EQ(number(database, "SELECT generation FROM leasebox_inbox"), 1);
    EXPECT_EQ(verdict(database, message("e1", 5, "a")), arrival::duplicate);
}

TEST_F(accepting, an_effect_that_fails_leaves_the_retry_first_again) {
    {
        SQLite::Transaction undone(database, SQLite::TransactionBehavior::IMMEDIATE);
        EXPECT_EQ(inbox::accept(database, message("e1")).verdict, arrival::first);
        EXPECT_THROW(database.exec("INSERT INTO effect VALUES (NULL)"), SQLite::Exception);
    }
    EXPECT_EQ(verdict(database, message("e1")), arrival::first);
    EXPECT_EQ(verdict(database, message("e1")), arrival::duplicate);
}

TEST_F(accepting, an_event_without_its_answer_is_first_again) {
    {
        SQLite::Transaction forgot(database, SQLite::TransactionBehavior::IMMEDIATE);
        inbox::accept(database, message("e1"));
        forgot.commit();
    }
    EXPECT_EQ(verdict(database, message("e1")), arrival::first);
}

TEST_F(accepting, a_fence_refuses_the_generations_below_it) {
    EXPECT_FALSE(fence(database, "e1", 3));
    EXPECT_EQ(verdict(database, message("e1", 2)), arrival::stale_generation);
    EXPECT_EQ(number(database, "SELECT count(*) FROM effect"), 0);
    EXPECT_EQ(verdict(database, message("e1", 3)), arrival::first);
    EXPECT_EQ(verdict(database, message("e1", 2)), arrival::duplicate);
}

TEST_F(accepting, a_fence_only_rises) {
    fence(database, "e1", 5);
    EXPECT_FALSE(fence(database, "e1", 3));
    EXPECT_EQ(verdict(database, message("e1", 4)), arrival::stale_generation);
    fence(database, "e1", 7);
    EXPECT_EQ(verdict(database, message("e1", 6)), arrival::stale_generation);
    EXPECT_EQ(verdict(database, message("e1", 8)), arrival::first);
}

TEST_F(accepting, a_fence_tells_what_was_applied_and_leaves_it) {
    deliver(database, message("e1", 1));
    EXPECT_TRUE(fence(database, "e1", 9));
    EXPECT_EQ(verdict(database, message("e1", 1)), arrival::duplicate);
    EXPECT_EQ(number(database, "SELECT generation FROM leasebox_inbox"), 1);
}

TEST_F(accepting, the_longest_answer_is_stored_whole_and_a_longer_one_refused) {
    const std::string longest(inbox::answer_bytes_max, '\0');
    SQLite::Transaction both(database, SQLite::TransactionBehavior::IMMEDIATE);
    inbox::accept(database, message("e1"));
    EXPECT_EQ(code_of([&] { inbox::finish(database, "e1", 200, longest + "x"); }),
              errc::invalid_option);
    inbox::finish(database, "e1", 200, longest);
    EXPECT_EQ(inbox::accept(database, message("e1")).answer, longest);
}

TEST_F(accepting, misuse_has_its_code) {
    EXPECT_EQ(code_of([&] { inbox::accept(database, message("e1")); }), errc::not_in_transaction);
    EXPECT_EQ(code_of([&] { inbox::finish(database, "e1", 200, ""); }), errc::not_in_transaction);
    EXPECT_EQ(code_of([&] { inbox::fence(database, "e1", 1, {}); }), errc::not_in_transaction);
    SQLite::Transaction both(database, SQLite::TransactionBehavior::IMMEDIATE);
    EXPECT_EQ(code_of([&] { inbox::accept(database, message("")); }), errc::invalid_event);
    EXPECT_EQ(code_of([&] { inbox::finish(database, "e1", 200, ""); }), errc::invalid_event);
    inbox::accept(database, message("e1"));
    EXPECT_EQ(code_of([&] { inbox::finish(database, "e1", 99, ""); }), errc::invalid_option);
    inbox::finish(database, "e1", 204, "");
    EXPECT_EQ(code_of([&] { inbox::finish(database, "e1", 500, ""); }), errc::invalid_event);
}

TEST_F(accepting, a_fence_alone_takes_no_answer) {
    fence(database, "e1", 1);
    SQLite::Transaction both(database, SQLite::TransactionBehavior::IMMEDIATE);
    EXPECT_EQ(code_of([&] { inbox::finish(database, "e1", 200, ""); }), errc::invalid_event);
}

TEST_F(accepting, a_database_without_an_inbox_is_named_so) {
    SQLite::Database empty(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Transaction both(empty, SQLite::TransactionBehavior::IMMEDIATE);
    EXPECT_EQ(code_of([&] { inbox::accept(empty, message("e1")); }), errc::no_schema);
    EXPECT_EQ(code_of([&] { inbox::prune(empty, from_ms(1), 1); }), errc::no_schema);
}

TEST_F(accepting, pruning_forgets_the_oldest_up_to_its_limit) {
    int at = 0;
    for (const char* id : {"e1", "e2", "e3", "e4"}) {
        inbox::message each = message(id);
        each.received_at = from_ms(++at * 10);
        deliver(database, each);
    }
    EXPECT_EQ(inbox::prune(database, from_ms(40), 2), 2U);
    EXPECT_EQ(number(database, "SELECT min(received_at) FROM leasebox_inbox"), 30);
    EXPECT_EQ(inbox::prune(database, from_ms(40), 10), 1U);
    EXPECT_EQ(inbox::prune(database, from_ms(40), 10), 0U);
    EXPECT_EQ(verdict(database, message("e4")), arrival::duplicate);
    EXPECT_EQ(verdict(database, message("e1")), arrival::first);
}

TEST_F(accepting, the_schema_may_be_made_twice) {
    deliver(database, message("e1"));
    inbox::create_schema(database);
    EXPECT_EQ(verdict(database, message("e1")), arrival::duplicate);
}

}  // namespace
}  // namespace leasebox
