#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(reads);

TEST_P(reads, an_unknown_event_has_no_status_and_no_attempts) {
    EXPECT_EQ(subject->status("never-appended"), std::nullopt);
    EXPECT_TRUE(subject->attempts("never-appended").empty());
}

TEST_P(reads, the_status_of_a_fresh_event) {
    draft event("billing", "12345");
    event.id = "a";
    event.key = "k";
    event.type = "order.placed";
    event.attempts_max = 3;
    const receipt appended = append(event);
    const event_status found = status("a");
    EXPECT_EQ(found.id, "a");
    EXPECT_EQ(found.destination, "billing");
    EXPECT_EQ(found.key, "k");
    EXPECT_EQ(found.type, "order.placed");
    EXPECT_EQ(found.seq, appended.seq);
    EXPECT_EQ(found.payload_bytes, 5);
    EXPECT_EQ(found.appended_at, subject->now());
    EXPECT_EQ(found.row.at, state::pending);
    EXPECT_EQ(found.row.generation, 0);
    EXPECT_EQ(found.row.attempts_max, 3);
    EXPECT_EQ(found.row.deadline, std::nullopt);
    EXPECT_TRUE(subject->attempts("a").empty());
}

TEST_P(reads, payload_bytes_are_bytes_not_characters) {
    draft event("billing", "\xC3\xA9\xC3\xA9");
    event.id = "a";
    append(event);
    EXPECT_EQ(status("a").payload_bytes, 4);
}

TEST_P(reads, an_open_attempt_is_shown_without_an_outcome) {
    append("a");
    const claimed_event mine = claim_one("worker");
    const std::vector<attempt_record> attempts = subject->attempts("a");
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].generation, mine.key.generation);
    EXPECT_EQ(attempts[0].owner, "worker");
    EXPECT_EQ(attempts[0].attempt, 1);
    EXPECT_EQ(attempts[0].claimed_at, mine.claimed_at);
    EXPECT_EQ(attempts[0].lease_until, mine.lease_until);
    EXPECT_EQ(attempts[0].result, std::nullopt);
    EXPECT_EQ(attempts[0].ended_at, std::nullopt);
}

TEST_P(reads, a_first_attempt_that_succeeded_is_shown_with_its_outcome) {
    append("a");
    ack_request asked = an_ack(claim_one("worker").key, outcome::delivered);
    asked.command.what.http_status = 204;
    time.advance(2s);
    run<ack_reply>(asked);
    const std::vector<attempt_record> attempts = subject->attempts("a");
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].result, outcome::delivered);
    EXPECT_EQ(attempts[0].http_status, 204);
    EXPECT_EQ(attempts[0].owner, "worker");
    EXPECT_EQ(attempts[0].ended_at, subject->now());
    EXPECT_FALSE(attempts[0].late);
}

TEST_P(reads, attempts_come_in_the_order_of_their_generations) {
    append("a");
    const outcome ends[] = {outcome::retry, outcome::released, outcome::uncertain};
    for (const outcome each : ends)
        ack(claim_one().key, each);
    claim_one();
    const std::vector<attempt_record> attempts = subject->attempts("a");
    ASSERT_EQ(attempts.size(), 4U);
    for (std::size_t at = 0; at < 3; ++at) {
        EXPECT_EQ(attempts[at].result, ends[at]);
        EXPECT_LT(attempts[at].generation, attempts[at + 1].generation);
    }
    EXPECT_EQ(attempts[3].result, std::nullopt);
}

TEST_P(reads, everything_that_a_report_says_is_kept) {
    append("a");
    ack_request asked = an_ack(claim_one().key, outcome::uncertain);
    asked.command.what.http_status = 0;
    asked.command.what.reached = phase::written;
    asked.command.what.bytes_written = 321;
    asked.command.what.detail = "reset by peer";
    run<ack_reply>(asked);
    const attempt_record kept = subject->attempts("a").at(0);
    EXPECT_EQ(kept.reached, phase::written);
    EXPECT_EQ(kept.bytes_written, 321);
    EXPECT_EQ(kept.detail, "reset by peer");
    EXPECT_EQ(row("a").last_error, "reset by peer");
    EXPECT_EQ(row("a").last_outcome, outcome::uncertain);
}

TEST_P(reads, a_list_is_filtered_and_in_the_order_of_append) {
    append("one", "billing");
    append_keyed("two", "k", "mail");
    append("three", "billing");
    ack(claim().events.at(0).key, outcome::rejected);
    const auto ids = [&](const list_filter& filter) {
        std::vector<std::string> found;
        for (const event_status& each : subject->list(filter))
            found.push_back(each.id);
        return found;
    };
    using names = std::vector<std::string>;
    EXPECT_EQ(ids({}), (names{"one", "two", "three"}));
    list_filter filter;
    filter.destination = "billing";
    EXPECT_EQ(ids(filter), (names{"one", "three"}));
    filter.limit = 1;
    EXPECT_EQ(ids(filter), (names{"one"}));
    filter.after_seq = subject->list(filter).at(0).seq;
    EXPECT_EQ(ids(filter), (names{"three"}));
    filter = {};
    filter.key = "k";
    EXPECT_EQ(ids(filter), (names{"two"}));
    filter = {};
    filter.at = state::claimed;
    EXPECT_EQ(ids(filter).size(), 2U);
    filter.at = state::dead;
    EXPECT_EQ(ids(filter).size(), 1U);
    filter.why = reason::rejected;
    EXPECT_EQ(ids(filter).size(), 1U);
    filter.why = reason::lifetime;
    EXPECT_TRUE(ids(filter).empty());
}

TEST_P(reads, an_empty_store_has_nothing_to_tell) {
    const store_stats all = subject->stats();
    EXPECT_TRUE(all.destinations.empty());
    EXPECT_EQ(all.lanes_blocked, 0);
    EXPECT_EQ(all.uncertain, 0);
}

TEST_P(reads, counts_follow_every_move) {
    const auto counted = [&](state at) {
        return subject->stats().destinations["billing"].events[at];
    };
    append("a");
    append("b");
    EXPECT_EQ(counted(state::pending), 2);
    const claim_reply taken = claim();
    EXPECT_EQ(counted(state::pending), 0);
    EXPECT_EQ(counted(state::claimed), 2);
    ack(taken.events.at(0).key, outcome::delivered);
    ack(taken.events.at(1).key, outcome::uncertain);
    EXPECT_EQ(counted(state::delivered), 1);
    EXPECT_EQ(subject->stats().uncertain, 1);
    act("b", operator_act::park);
    EXPECT_EQ(counted(state::parked), 1);
    EXPECT_EQ(subject->stats().uncertain, 1) << "it still is";
    act("b", operator_act::cancel);
    EXPECT_EQ(counted(state::cancelled), 1);
    EXPECT_EQ(subject->stats().uncertain, 0) << "nobody asks any more";
}

TEST_P(reads, the_oldest_pending_is_told_by_its_age_not_by_its_delay) {
    const store_time appended = manual_clock_start;
    draft delayed("billing", "{}");
    delayed.delay = 1h;
    append(delayed);
    time.advance(1min);
    append("a");
    EXPECT_EQ(subject->stats().destinations["billing"].oldest_pending, appended);
    EXPECT_EQ(subject->stats().now, appended + 1min);
    claim_one();
    EXPECT_EQ(subject->stats().destinations["billing"].oldest_pending, appended);
}

TEST_P(reads, an_event_behind_a_blocked_head_is_pending_and_ages_too) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    ack(claim_one().key, outcome::rejected);
    EXPECT_EQ(subject->stats().destinations["billing"].oldest_pending, manual_clock_start);
}

TEST_P(reads, where_nothing_is_pending_nothing_is_oldest) {
    append("a");
    claim_one();
    EXPECT_EQ(subject->stats().destinations["billing"].oldest_pending, std::nullopt);
}

}  // namespace
}  // namespace leasebox::testing
