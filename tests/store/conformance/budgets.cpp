#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(budget_ends);

TEST_P(budget_ends, one_attempt_means_at_most_one_claim_even_after_a_crash) {
    limits.attempts_max = 1;
    append("a");
    claim_and_crash();
    const claim_reply taken = claim();
    EXPECT_TRUE(taken.events.empty());
    ASSERT_EQ(taken.settled.size(), 1U);
    EXPECT_EQ(taken.settled[0].why, reason::attempts);
    const event_row after = row("a");
    EXPECT_EQ(after.at, state::dead);
    EXPECT_EQ(after.why, reason::attempts);
    EXPECT_EQ(after.attempts, 1);
    EXPECT_EQ(after.last_outcome, outcome::expired);
    EXPECT_TRUE(after.settled_at);
}

TEST_P(budget_ends, the_last_attempts_failure_is_the_end) {
    limits.attempts_max = 2;
    append("a");
    EXPECT_EQ(ack(claim_one().key, outcome::retry).at, state::pending);
    const ack_reply last = ack(claim_one().key, outcome::retry);
    EXPECT_EQ(last.at, state::dead);
    EXPECT_EQ(last.why, reason::attempts);
    EXPECT_TRUE(claim().settled.empty());
}

TEST_P(budget_ends, an_events_own_attempts_go_before_the_dispatchers) {
    draft event("billing", "{}");
    event.id = "a";
    event.attempts_max = 1;
    append(event);
    EXPECT_EQ(ack(claim_one().key, outcome::retry).why, reason::attempts);
}

TEST_P(budget_ends, attempts_are_counted_when_claimed) {
    append("a");
    claim_one();
    EXPECT_EQ(row("a").attempts, 1);
}

TEST_P(budget_ends, a_released_attempt_is_given_back) {
    limits.attempts_max = 1;
    append("a");
    for (int round = 0; round < 5; ++round) {
        const claimed_event mine = claim_one();
        EXPECT_EQ(mine.attempt, 1);
        EXPECT_EQ(ack(mine.key, outcome::released).at, state::pending);
    }
    EXPECT_EQ(ack(claim_one().key, outcome::delivered).at, state::delivered);
}

TEST_P(budget_ends, every_claim_raises_the_generation_also_after_a_release) {
    append("a");
    std::int64_t last = 0;
    for (int round = 0; round < 5; ++round) {
        const claimed_event mine = claim_one();
        EXPECT_GT(mine.key.generation, last);
        last = mine.key.generation;
        ack(mine.key, outcome::released);
    }
}

TEST_P(budget_ends, an_event_that_kills_its_workers_does_not_loop_for_ever) {
    append("poison");
    for (int crash = 0; crash < 3; ++crash) {
        claim();
        claim_alone("crasher");
        let_lease_run_out();
    }
    claim();
    const event_row after = row("poison");
    EXPECT_EQ(after.at, state::dead);
    EXPECT_EQ(after.why, reason::expiries);
    EXPECT_EQ(after.expiries, 3);
}

TEST_P(budget_ends, a_lifetime_that_is_over_ends_the_event_at_the_next_claim) {
    limits.lifetime = 1h;
    append("a");
    time.advance(1h - 1ms);
    ack(claim_one().key, outcome::released);
    time.advance(1ms);
    EXPECT_EQ(claim().settled.at(0).why, reason::lifetime);
    EXPECT_EQ(row("a").at, state::dead);
}

TEST_P(budget_ends, a_retry_that_would_come_after_the_lifetime_is_the_end_at_once) {
    limits.lifetime = 1h;
    append("a");
    ack_request asked = an_ack(claim_one().key, outcome::retry);
    asked.command.after = 1h;
    EXPECT_EQ(run<ack_reply>(asked).why, reason::lifetime);
}

TEST_P(budget_ends, an_events_own_lifetime_goes_before_the_dispatchers) {
    draft event("billing", "{}");
    event.id = "a";
    event.lifetime = 1min;
    append(event);
    EXPECT_EQ(row("a").deadline, subject->now() + 1min);
    time.advance(1min);
    EXPECT_EQ(claim().settled.at(0).why, reason::lifetime);
}

TEST_P(budget_ends, the_ack_of_a_running_attempt_is_judged_by_its_lease_alone) {
    limits.lifetime = 10s;
    append("a");
    const claimed_event mine = claim_one();
    time.advance(20s);
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::accepted);
}

TEST_P(budget_ends, an_event_delayed_beyond_the_lifetime_is_not_dead_on_arrival) {
    limits.lifetime = 24h;
    draft event("billing", "{}");
    event.delay = 24h * 365;
    append(event);
    time.advance(24h * 365);
    EXPECT_EQ(claim().events.size(), 1U);
}

TEST_P(budget_ends, a_fresh_event_has_its_whole_lifetime) {
    time.advance(24h * 30);
    append("a");
    EXPECT_EQ(row("a").budget_from, subject->now());
    EXPECT_EQ(status("a").appended_at, subject->now());
    EXPECT_EQ(claim().events.size(), 1U);
}

TEST_P(budget_ends, a_rejected_event_is_dead_at_once) {
    append("a");
    const ack_reply done = ack(claim_one().key, outcome::rejected);
    EXPECT_EQ(done.at, state::dead);
    EXPECT_EQ(done.why, reason::rejected);
}

TEST_P(budget_ends, an_uncertain_event_is_held_where_its_destination_says_so) {
    append("a");
    ack_request asked = an_ack(claim_one().key, outcome::uncertain);
    asked.command.hold_uncertain = true;
    const ack_reply done = run<ack_reply>(asked);
    EXPECT_EQ(done.at, state::parked);
    EXPECT_EQ(done.why, reason::uncertain);
    EXPECT_TRUE(claim().events.empty());
}

TEST_P(budget_ends, absurd_durations_are_clamped) {
    limits.lifetime = milliseconds::max();
    draft event("billing", "{}");
    event.id = "far";
    event.delay = milliseconds::max();
    event.lifetime = milliseconds::max();
    append(event);
    EXPECT_GT(row("far").not_before, subject->now() + 24h * 365 * 1000);
    EXPECT_LE(row("far").not_before, store_time_max);
    EXPECT_LE(*row("far").deadline, store_time_max);
    append("a");
    ack_request asked = an_ack(claim_one().key, outcome::retry);
    asked.command.after = milliseconds::max();
    EXPECT_EQ(run<ack_reply>(asked).answer, verdict::accepted);
    EXPECT_NE(row("a").at, state::claimed);
    EXPECT_LE(row("a").not_before, store_time_max);
}

TEST_P(budget_ends, a_negative_delay_of_a_retry_counts_as_none) {
    append("a");
    ack_request asked = an_ack(claim_one().key, outcome::retry);
    asked.command.after = milliseconds::min();
    run<ack_reply>(asked);
    EXPECT_EQ(claim().events.size(), 1U);
}

}  // namespace
}  // namespace leasebox::testing
