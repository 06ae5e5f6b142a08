#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(expiring);

TEST_P(expiring, a_crashed_workers_event_is_claimed_again) {
    append("a");
    const claimed_event lost = claim_and_crash("crasher");
    const claim_reply taken = claim("rescuer");
    ASSERT_EQ(taken.events.size(), 1U);
    EXPECT_EQ(taken.expired, 1);
    EXPECT_EQ(taken.events[0].attempt, 2);
    EXPECT_EQ(taken.events[0].expiries, 1);
    EXPECT_TRUE(taken.events[0].uncertain) << "the lost attempt may have arrived";
    EXPECT_GT(taken.events[0].key.generation, lost.key.generation);
}

TEST_P(expiring, a_claim_that_still_holds_is_not_reclaimed) {
    append("a");
    claim_one();
    time.advance(lease - 1ms);
    EXPECT_TRUE(claim("other").events.empty());
    time.advance(1ms);
    EXPECT_EQ(claim("other").events.size(), 1U);
}

TEST_P(expiring, the_lost_attempt_is_in_the_ledger) {
    append("a");
    const claimed_event lost = claim_and_crash("crasher");
    claim_one("rescuer");
    const std::vector<attempt_record> attempts = subject->attempts("a");
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[0].generation, lost.key.generation);
    EXPECT_EQ(attempts[0].owner, "crasher");
    EXPECT_EQ(attempts[0].result, outcome::expired);
    EXPECT_EQ(attempts[0].attempt, 1);
    EXPECT_FALSE(attempts[0].late);
    EXPECT_EQ(attempts[1].owner, "rescuer");
    EXPECT_EQ(attempts[1].result, std::nullopt) << "it is open";
}

TEST_P(expiring, a_delivery_after_a_crash_is_certain_again) {
    append("a");
    claim_and_crash();
    const claimed_event mine = claim_one();
    ack(mine.key, outcome::delivered);
    EXPECT_FALSE(row("a").uncertain);
    EXPECT_EQ(subject->stats().uncertain, 0);
}

TEST_P(expiring, a_whole_batch_of_a_crashed_worker_is_reclaimed_at_full_speed) {
    for (int n = 0; n < 20; ++n)
        append(draft("billing", "{}"));
    ASSERT_EQ(claim("crasher").events.size(), 20U);
    let_lease_run_out();
    const claim_reply taken = claim("rescuer");
    EXPECT_EQ(taken.events.size(), 20U) << "one expiry is an ordinary crash";
    EXPECT_EQ(taken.expired, 20);
    EXPECT_FALSE(taken.suspect_waits);
}

TEST_P(expiring, a_retry_later_than_the_lease_waits_for_its_delay) {
    append("a");
    ack_request asked = an_ack(claim_one().key, outcome::retry);
    asked.command.after = 1h;
    EXPECT_EQ(run<ack_reply>(asked).answer, verdict::accepted);
    time.advance(1h - 1ms);
    EXPECT_TRUE(claim().events.empty());
    time.advance(1ms);
    EXPECT_EQ(claim_one().attempt, 2);
}

TEST_P(expiring, an_outcome_that_only_the_store_may_say_does_not_make_an_event_certain) {
    append("a");
    ack(claim_one().key, outcome::expired);
    const event_row after = row("a");
    EXPECT_TRUE(after.uncertain || after.at == state::claimed);
}

}  // namespace
}  // namespace leasebox::testing
