#include "fixture.hpp"

namespace leasebox {
namespace {

using ::testing::HasSubstr;

struct appending : sqlite_file {
    appending() { open_store(); }
    static errc code_of(const std::function<void()>& act) {
        try {
            act();
        } catch (const error& failed) {
            return static_cast<errc>(failed.code().value());
        }
        return {};
    }
};

TEST_F(appending, an_event_lives_and_dies_with_the_callers_transaction) {
    SQLite::Database database = producer();
    database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    {
        SQLite::Transaction undone(database);
        database.exec("INSERT INTO orders DEFAULT VALUES");
        sqlite::append(database, {"billing", "{}"}, sqlite::require_transaction::yes);
    }
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM leasebox_event").getInt(), 0);
    SQLite::Transaction done(database);
    database.exec("INSERT INTO orders DEFAULT VALUES");
    const receipt got = sqlite::append(database, {"billing", "{}"});
    done.commit();
    EXPECT_EQ(open_store()->status(got.id)->seq, got.seq);
}

TEST_F(appending, a_raw_handle_is_as_good) {
    SQLite::Database database = producer();
    const receipt got = sqlite::append(database.getHandle(), {"billing", "{}"});
    EXPECT_TRUE(open_store()->status(got.id));
}

TEST_F(appending, a_forgotten_begin_is_noticed_where_asked_for) {
    SQLite::Database database = producer();
    EXPECT_EQ(code_of([&] {
                  sqlite::append(database, {"billing", "{}"}, sqlite::require_transaction::yes);
              }),
              errc::not_in_transaction);
}

TEST_F(appending, each_failure_has_its_code_and_its_sentence) {
    SQLite::Database database = producer();
    draft twice("billing", "{}");
    twice.id = "e1";
    sqlite::append(database, twice);
    EXPECT_EQ(code_of([&] { sqlite::append(database, twice); }), errc::duplicate_id);
    EXPECT_EQ(code_of([&] { sqlite::append(database, {"no good", "{}"}); }), errc::invalid_event);
    SQLite::Database empty(dir.file("empty.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    EXPECT_EQ(code_of([&] { sqlite::append(empty, {"billing", "{}"}); }), errc::no_schema);
    try {
        sqlite::append(database, {"billing", std::string(1024 * 1024 + 1, 'x')});
        FAIL();
    } catch (const error& failed) {
        EXPECT_THAT(failed.sentence(), HasSubstr("payload: is larger"));
    }
}

TEST_F(appending, another_writer_makes_it_busy_and_nothing_is_retried) {
    SQLite::Database holder = producer();
    holder.exec("BEGIN IMMEDIATE");
    SQLite::Database database(path(), SQLite::OPEN_READWRITE, 1);
    EXPECT_EQ(code_of([&] { sqlite::append(database, {"billing", "{}"}); }), errc::busy);
}

TEST_F(appending, every_field_arrives_at_the_claim) {
    SQLite::Database database = producer();
    draft full("billing", std::string("\x00\xff", 2));
    full.id = "e1";
    full.key = "k";
    full.type = "order.placed";
    full.content_type = "application/octet-stream";
    full.headers = {{"traceparent", "00-ab"}, {"x-quote", "a\"b"}};
    sqlite::append(database, full);
    auto events = open_store();
    const auto taken = claim(*events);
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].payload, full.payload);
    EXPECT_EQ(taken[0].lane, "k");
    EXPECT_EQ(taken[0].lane_seq, 1);
    EXPECT_EQ(taken[0].type, "order.placed");
    EXPECT_EQ(taken[0].content_type, "application/octet-stream");
    EXPECT_EQ(taken[0].headers, R"({"traceparent":"00-ab","x-quote":"a\"b"})");
}

TEST_F(appending, text_stays_text_for_sql_to_look_into) {
    SQLite::Database database = producer();
    sqlite::append(database, {"billing", R"({"n":7})"});
    EXPECT_EQ(database.execAndGet("SELECT json_extract(payload, '$.n') FROM leasebox_event")
                  .getInt(),
              7);
}

TEST_F(appending, a_delay_and_a_lifetime_count_by_the_stores_clock) {
    auto events = open_store();
    SQLite::Database database = producer();
    draft later_one("billing", "{}");
    later_one.delay = 10s;
    later_one.lifetime = 1min;
    const receipt got = sqlite::append(database, later_one);
    const event_status found = *events->status(got.id);
    EXPECT_EQ(found.row.not_before - found.appended_at, 10s);
    EXPECT_EQ(*found.row.deadline - found.appended_at, 1min);
}

TEST_F(appending, a_payload_limit_of_the_stores_own_is_kept) {
    how.payload_bytes_max = 10;
    testing::temp_dir other;
    auto events = sqlite::open(other.file("small.db"), how, clock);
    SQLite::Database database(other.file("small.db"), SQLite::OPEN_READWRITE);
    EXPECT_EQ(code_of([&] { sqlite::append(database, {"a", "12345678901"}); }),
              errc::invalid_event);
    EXPECT_EQ(code_of([&] { sqlite::append(database, {"a", "1234567890"}); }), errc{});
}

}  // namespace
}  // namespace leasebox
