// What a producer may do with plain SQL, and what the database refuses whatever the form.
#include "fixture.hpp"

namespace leasebox {
namespace {

using ::testing::HasSubstr;

struct plain_sql : sqlite_file, ::testing::WithParamInterface<const char*> {
    plain_sql() {
        open_store();
        database.emplace(path(), SQLite::OPEN_READWRITE, 5000);
        database->exec(std::string("PRAGMA trusted_schema = ") + GetParam());
    }
    std::string refusal(const std::string& sql) {
        try {
            database->exec(sql);
        } catch (const SQLite::Exception& refused) {
            return refused.what();
        }
        return "accepted";
    }
    int count() { return database->execAndGet("SELECT count(*) FROM leasebox_event").getInt(); }
    std::optional<SQLite::Database> database;
};
INSTANTIATE_TEST_SUITE_P(trusted_schema, plain_sql, ::testing::Values("on", "off"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(plain_sql, two_columns_are_enough) {
    SQLite::Statement insert(*database,
                             "INSERT INTO leasebox_event (destination, payload) "
                             "VALUES ('billing', '{\"n\":1}') RETURNING id");
    ASSERT_TRUE(insert.executeStep());
    EXPECT_THAT(insert.getColumn(0).getString(),
                ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                        "[0-9a-f]{12}"));
}

TEST_P(plain_sql, each_rule_is_refused_with_its_column_in_every_form_of_insert) {
    const std::vector<std::pair<std::string, std::string>> bad{
        {"(destination, payload) VALUES ('', 'x')", "leasebox: destination:"},
        {"(destination, payload) VALUES ('a b', 'x')", "leasebox: destination:"},
        {"(destination, payload) VALUES ('a\xc3\xa9', 'x')", "leasebox: destination:"},
        {"(destination, payload) VALUES (x'6161', 'x')", "leasebox: destination:"},
        {"(destination, payload) VALUES (NULL, 'x')", "leasebox: destination:"},
        {"(destination, payload) VALUES ('a', 5)", "leasebox: payload:"},
        {"(destination, payload) VALUES ('a', NULL)", "leasebox: payload:"},
        {"(destination, payload) VALUES ('a', zeroblob(1048577))", "leasebox: payload:"},
        {"(destination, payload, id) VALUES ('a', 'x', 'a.b')", "leasebox: id:"},
        {"(destination, payload, id) VALUES ('a', 'x', '')", "leasebox: id:"},
        {"(destination, payload, id) VALUES ('a', 'x', NULL)", "leasebox: id:"},
        {"(destination, payload, key) VALUES ('a', 'x', '')", "leasebox: key:"},
        {"(destination, payload, key) VALUES ('a', 'x', 'k' || char(0))", "leasebox: key:"},
        {"(destination, payload, type) VALUES ('a', 'x', 'a' || char(10))", "leasebox: type:"},
        {"(destination, payload, content_type) VALUES ('a', 'x', 'a' || char(13))",
         "leasebox: content_type:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '[]')", "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', NULL)", "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '{\"n\":1}')", "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '{\"a b\":\"1\"}')",
         "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '{\"a\":\"1\\r\\nhost: evil\"}')",
         "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '{\"a\":\"\\u0000\"}')",
         "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '{\"a\":\"' || hex(zeroblob(9000)) || "
         "'\"}')",
         "leasebox: headers:"},
        {"(destination, payload, headers) VALUES ('a', 'x', '{broken')", "malformed JSON"},
        {"(destination, payload, not_before) VALUES ('a', 'x', -1)", "leasebox: not_before:"},
        {"(destination, payload, not_before) VALUES ('a', 'x', 1.5)", "leasebox: not_before:"},
        {"(destination, payload, not_before) VALUES ('a', 'x', 9223372036854775807)",
         "leasebox: not_before:"},
        {"(destination, payload, deadline) VALUES ('a', 'x', 'soon')", "leasebox: deadline:"},
        {"(destination, payload, attempts_max) VALUES ('a', 'x', 0)", "leasebox: attempts_max:"},
        {"(destination, payload, seq) VALUES ('a', 'x', 1)", "leasebox: seq:"},
        {"(destination, payload, seq) VALUES ('a', 'x', -1)", "leasebox: seq:"}};
    for (const auto& [values, sentence] : bad) {
        for (const char* form : {"INSERT INTO", "INSERT OR IGNORE INTO", "INSERT OR REPLACE INTO",
                                 "INSERT OR FAIL INTO", "REPLACE INTO"}) {
            EXPECT_THAT(refusal(std::string(form) + " leasebox_event " + values),
                        HasSubstr(sentence))
                << form << values;
        }
    }
    EXPECT_EQ(count(), 0);
}

TEST_P(plain_sql, a_second_insert_of_an_id_fails_in_every_form) {
    const std::string values =
        " INTO leasebox_event (id, destination, payload) VALUES ('e1', 'billing', 'x')";
    EXPECT_EQ(refusal("INSERT" + values), "accepted");
    for (const char* form : {"INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE", "REPLACE"}) {
        EXPECT_EQ(refusal(form + values), "leasebox: id: already used");
    }
    EXPECT_EQ(refusal("INSERT" + values + " ON CONFLICT (id) DO NOTHING"),
              "leasebox: id: already used");
    EXPECT_EQ(refusal("INSERT" + values + " ON CONFLICT (id) DO UPDATE SET payload = 'y'"),
              "leasebox: id: already used");
    EXPECT_EQ(database->execAndGet("SELECT seq FROM leasebox_status WHERE id = 'e1'").getInt(), 1);
}

TEST_P(plain_sql, an_idempotent_append_is_an_insert_where_not_exists) {
    const std::string sql =
        "INSERT INTO leasebox_event (id, destination, payload) SELECT 'e1', 'billing', 'x' "
        "WHERE NOT EXISTS (SELECT 1 FROM leasebox_event WHERE id = 'e1')";
    EXPECT_EQ(database->exec(sql), 1);
    EXPECT_EQ(database->exec(sql), 0);
}

TEST_P(plain_sql, an_event_can_be_neither_changed_nor_deleted_before_it_is_settled) {
    database->exec("INSERT INTO leasebox_event (id, destination, payload) VALUES ('e1','a','x')");
    EXPECT_THAT(refusal("UPDATE leasebox_event SET payload = 'y'"), HasSubstr("immutable"));
    EXPECT_THAT(refusal("DELETE FROM leasebox_event"), HasSubstr("not settled"));
    auto events = open_store();
    const auto taken = claim(*events);
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_THAT(refusal("DELETE FROM leasebox_event"), HasSubstr("not settled"));
    ack(*events, taken[0].key, outcome::delivered);
    EXPECT_EQ(refusal("DELETE FROM leasebox_event"), "accepted");
    EXPECT_EQ(events->stats().destinations["a"].events[state::delivered], 0);
    EXPECT_EQ(ack(*events, taken[0].key, outcome::delivered).answer, verdict::unknown_event);
    EXPECT_EQ(count(), 0);
}

TEST_P(plain_sql, an_id_used_again_after_pruning_gets_a_higher_generation) {
    auto events = open_store();
    const std::string insert =
        "INSERT INTO leasebox_event (id, destination, payload) VALUES ('e1', 'a', 'x')";
    database->exec(insert);
    const auto first = claim(*events);
    ack(*events, first[0].key, outcome::delivered);
    database->exec("DELETE FROM leasebox_event");
    database->exec(insert);
    const auto second = claim(*events);
    EXPECT_GT(second[0].key.generation, first[0].key.generation);
    EXPECT_EQ(ack(*events, first[0].key, outcome::delivered).answer, verdict::stale_generation);
}

TEST_P(plain_sql, what_a_producer_rolls_back_never_existed) {
    database->exec("BEGIN");
    database->exec("INSERT INTO leasebox_event (destination, payload) VALUES ('billing', 'x')");
    database->exec("ROLLBACK");
    auto events = open_store();
    EXPECT_TRUE(claim(*events).empty());
    EXPECT_EQ(events->stats().destinations.size(), 0u);
}

TEST_P(plain_sql, the_two_views_say_what_happened) {
    auto events = open_store();
    database->exec("INSERT INTO leasebox_event (id, destination, payload) VALUES ('e1','a','x')");
    const auto taken = claim(*events);
    ack(*events, taken[0].key, outcome::retry);
    clock.advance(1s);
    const auto again = claim(*events);
    SQLite::Statement status(*database,
                             "SELECT state, attempts, generation, owner, last_outcome FROM "
                             "leasebox_status WHERE id = 'e1'");
    ASSERT_TRUE(status.executeStep());
    EXPECT_STREQ(status.getColumn(0), "claimed");
    EXPECT_EQ(status.getColumn(1).getInt(), 2);
    EXPECT_EQ(status.getColumn(2).getInt64(), again[0].key.generation);
    EXPECT_STREQ(status.getColumn(3), "w");
    EXPECT_STREQ(status.getColumn(4), "retry");
    SQLite::Statement attempts(*database,
                               "SELECT attempt, outcome FROM leasebox_attempts "
                               "WHERE event_id = 'e1' ORDER BY generation");
    ASSERT_TRUE(attempts.executeStep());
    EXPECT_STREQ(attempts.getColumn(1), "retry");
    ASSERT_TRUE(attempts.executeStep());
    EXPECT_EQ(attempts.getColumn(0).getInt(), 2);
    EXPECT_TRUE(attempts.getColumn(1).isNull());
    EXPECT_FALSE(attempts.executeStep());
}

TEST_P(plain_sql, a_first_attempt_that_succeeded_is_in_the_view_without_a_row_of_its_own) {
    auto events = open_store();
    database->exec("INSERT INTO leasebox_event (id, destination, payload) VALUES ('e1','a','x')");
    ack(*events, claim(*events)[0].key, outcome::delivered);
    EXPECT_EQ(database->execAndGet("SELECT count(*) FROM leasebox_attempt").getInt(), 0);
    EXPECT_EQ(database->execAndGet("SELECT outcome FROM leasebox_attempts").getString(),
              "delivered");
}

}  // namespace
}  // namespace leasebox
