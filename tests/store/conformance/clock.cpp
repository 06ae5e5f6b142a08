#include "conformance.hpp"

namespace leasebox::testing {
namespace {

// Events that outlive every step.
class clock_steps : public conformance {
protected:
    clock_steps() { limits.lifetime = 24h * 30; }
};
LEASEBOX_INSTANTIATE(clock_steps);

TEST_P(clock_steps, the_stores_time_is_the_wall_clock_where_nothing_is_wrong) {
    append("a");
    time.advance(10s);
    EXPECT_EQ(subject->now(), manual_clock_start + 10s);
    EXPECT_EQ(claim().now, manual_clock_start + 10s);
}

TEST_P(clock_steps, a_step_back_does_not_revive_a_lease) {
    append("a");
    const claimed_event lost = claim_and_crash();
    EXPECT_EQ(ack(lost.key, outcome::delivered).answer, verdict::lease_expired);
    time.step_wall(-24h);
    EXPECT_EQ(ack(lost.key, outcome::delivered).answer, verdict::lease_expired);
    EXPECT_EQ(renew(lost.key).answer, verdict::lease_expired);
}

TEST_P(clock_steps, a_step_back_takes_back_no_time_that_has_passed) {
    append("a");
    const claimed_event lost = claim_and_crash();
    EXPECT_EQ(renew(lost.key).answer, verdict::lease_expired);
    time.step_wall(-lease);
    EXPECT_EQ(renew(lost.key).answer, verdict::lease_expired);
    EXPECT_EQ(ack(lost.key, outcome::delivered).answer, verdict::lease_expired);
}

TEST_P(clock_steps, a_lease_that_was_refused_as_expired_stays_expired) {
    append("a");
    const claimed_event mine = claim_one();
    time.step_wall(lease);
    EXPECT_EQ(renew(mine.key).answer, verdict::lease_expired);
    time.step_wall(-lease);
    EXPECT_EQ(renew(mine.key).answer, verdict::lease_expired);
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::lease_expired);
}

TEST_P(clock_steps, the_stores_time_never_steps_back) {
    append("a");
    store_time last = claim().now;
    for (const milliseconds step : {milliseconds(-24h), milliseconds(1h), milliseconds(-30min)}) {
        time.step_wall(step);
        time.advance(1ms);
        append(draft("billing", "{}"));
        const store_time next = claim().now;
        EXPECT_GT(next, last);
        last = next;
    }
}

TEST_P(clock_steps, leases_still_expire_after_a_day_forward_and_back) {
    append("a");
    time.step_wall(24h);
    const claimed_event mine = claim_one("first");
    time.step_wall(-24h);
    time.advance(lease - 1ms);
    EXPECT_TRUE(claim("second").events.empty());
    EXPECT_EQ(ack(claim_key("a", "first", mine.key.generation + 1), outcome::retry).answer,
              verdict::future_generation);
    time.advance(1ms);
    EXPECT_EQ(claim("second").events.size(), 1U) << "time stood still";
}

TEST_P(clock_steps, delays_still_end_after_a_day_forward_and_back) {
    append("a");
    time.step_wall(24h);
    ack_request asked = an_ack(claim_one().key, outcome::retry);
    asked.command.after = 1min;
    run<ack_reply>(asked);
    time.step_wall(-24h);
    time.advance(1min - 1ms);
    EXPECT_TRUE(claim().events.empty());
    time.advance(1ms);
    EXPECT_EQ(claim().events.size(), 1U);
}

TEST_P(clock_steps, an_append_after_a_step_back_has_the_stores_time) {
    append("a");
    time.step_wall(24h);
    claim_one();
    time.step_wall(-24h);
    time.advance(1h);
    append("b");
    EXPECT_EQ(status("b").appended_at, subject->now());
    EXPECT_EQ(row("b").not_before, subject->now());
}

TEST_P(clock_steps, a_delay_of_an_append_after_a_step_back_is_as_long_as_it_was_asked_for) {
    append("a");
    time.step_wall(24h);
    claim_one();
    time.step_wall(-24h);
    time.advance(1h);
    draft delayed("billing", "{}");
    delayed.id = "b";
    delayed.delay = 1min;
    append(delayed);
    EXPECT_EQ(row("b").not_before, subject->now() + 1min);
}

TEST_P(clock_steps, after_a_reboot_with_the_wall_behind_time_goes_on) {
    append("a");
    time.step_wall(24h);
    claim_one("first");
    time.reboot();
    time.step_wall(-24h);
    EXPECT_TRUE(claim("second").events.empty()) << "the time that was lost is unknown";
    time.advance(lease);
    EXPECT_EQ(claim("second").events.size(), 1U);
}

TEST_P(clock_steps, after_a_reboot_with_the_wall_behind_reading_is_enough_for_time_to_go_on) {
    append("a");
    time.step_wall(24h);
    claim_one();
    const store_time mark = subject->now();
    time.reboot();
    time.step_wall(-24h);
    EXPECT_EQ(subject->now(), mark);
    time.advance(5s);
    EXPECT_EQ(subject->now(), mark + 5s);
}

TEST_P(clock_steps, after_a_reboot_with_a_good_wall_the_lease_has_run_on) {
    append("a");
    claim_one("first");
    time.reboot();
    time.step_wall(lease);
    EXPECT_EQ(claim("second").events.size(), 1U);
}

TEST_P(clock_steps, a_step_forward_is_believed) {
    append("a");
    claim_one("first");
    time.step_wall(lease);
    EXPECT_EQ(claim("second").events.size(), 1U);
}

TEST_P(clock_steps, reading_the_time_changes_nothing) {
    append("a");
    time.step_wall(24h);
    subject->now();
    subject->stats();
    time.step_wall(-24h);
    EXPECT_EQ(subject->now(), manual_clock_start);
}

}  // namespace
}  // namespace leasebox::testing
