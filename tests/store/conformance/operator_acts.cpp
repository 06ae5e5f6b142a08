#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(operator_acts);

TEST_P(operator_acts, an_unknown_event_is_said_to_be_unknown) {
    for (const operator_act each :
         {operator_act::park, operator_act::unpark, operator_act::cancel, operator_act::replay}) {
        EXPECT_EQ(act("never-appended", each).answer, verdict::unknown_event);
    }
}

TEST_P(operator_acts, a_parked_event_spends_nothing_until_it_is_unparked) {
    limits.lifetime = 24h * 365;
    append("a");
    EXPECT_EQ(act("a", operator_act::park).at, state::parked);
    EXPECT_EQ(row("a").why, reason::operator_act);
    time.advance(24h);
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(act("a", operator_act::unpark).at, state::pending);
    EXPECT_EQ(row("a").why, std::nullopt);
    EXPECT_EQ(claim_one().attempt, 1);
}

TEST_P(operator_acts, an_unparked_event_keeps_its_delay) {
    draft delayed("billing", "{}");
    delayed.id = "a";
    delayed.delay = 1h;
    append(delayed);
    act("a", operator_act::park);
    act("a", operator_act::unpark);
    EXPECT_TRUE(claim().events.empty());
    time.advance(1h);
    EXPECT_EQ(claim().events.size(), 1U);
}

TEST_P(operator_acts, taking_an_event_from_its_owner_fences_it) {
    for (const operator_act each : {operator_act::park, operator_act::cancel}) {
        const std::string id = each == operator_act::park ? "parked" : "cancelled";
        append(id);
        const claimed_event mine = claim_one("worker");
        EXPECT_EQ(act(id, each).answer, verdict::accepted);
        const event_row taken = row(id);
        EXPECT_GT(taken.generation, mine.key.generation);
        EXPECT_TRUE(taken.uncertain) << "what it sent may have arrived";
        EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::stale_generation);
        EXPECT_EQ(renew(mine.key).answer, verdict::stale_generation);
        EXPECT_EQ(row(id).at, each == operator_act::park ? state::parked : state::cancelled);
    }
}

TEST_P(operator_acts, every_act_raises_the_generation_for_good) {
    append("a");
    std::int64_t last = 0;
    const operator_act acts[] = {operator_act::park, operator_act::unpark, operator_act::cancel,
                                 operator_act::replay};
    for (const operator_act each : acts) {
        ASSERT_EQ(act("a", each).answer, verdict::accepted);
        EXPECT_GT(row("a").generation, last);
        last = row("a").generation;
    }
    EXPECT_GT(claim_one().key.generation, last);
}

TEST_P(operator_acts, a_refused_act_changes_nothing) {
    append("a");
    const std::string pending = all_of("a");
    EXPECT_EQ(act("a", operator_act::unpark).answer, verdict::wrong_state);
    EXPECT_EQ(act("a", operator_act::replay).answer, verdict::wrong_state);
    EXPECT_EQ(all_of("a"), pending);
    ack(claim_one().key, outcome::delivered);
    const std::string delivered = all_of("a");
    for (const operator_act each :
         {operator_act::park, operator_act::unpark, operator_act::cancel, operator_act::replay}) {
        EXPECT_EQ(act("a", each).answer, verdict::wrong_state);
    }
    EXPECT_EQ(all_of("a"), delivered);
}

TEST_P(operator_acts, a_claimed_event_is_not_replayed) {
    append("a");
    claim_one();
    EXPECT_EQ(act("a", operator_act::replay).answer, verdict::wrong_state);
}

TEST_P(operator_acts, a_replay_keeps_identity_history_and_age_and_gives_a_new_budget) {
    limits.attempts_max = 2;
    const receipt appended = append("a");
    const store_time age = status("a").appended_at;
    ack(claim_one().key, outcome::retry);
    ack(claim_one().key, outcome::retry);
    ASSERT_EQ(row("a").at, state::dead);
    const std::int64_t before = row("a").generation;
    time.advance(24h * 30);
    EXPECT_EQ(act("a", operator_act::replay).at, state::pending);
    const event_status again = status("a");
    EXPECT_EQ(again.seq, appended.seq);
    EXPECT_EQ(again.appended_at, age);
    EXPECT_EQ(again.row.replays, 1);
    EXPECT_EQ(again.row.attempts, 0);
    EXPECT_EQ(again.row.why, std::nullopt);
    EXPECT_EQ(again.row.settled_at, std::nullopt);
    EXPECT_EQ(subject->attempts("a").size(), 2U);
    const claimed_event mine = claim_one();
    EXPECT_GT(mine.key.generation, before);
    EXPECT_EQ(mine.attempt, 1);
}

TEST_P(operator_acts, a_replay_ends_in_a_second_replay_where_it_fails_again) {
    append("a");
    for (int replays = 1; replays <= 3; ++replays) {
        ack(claim_one().key, outcome::rejected);
        EXPECT_EQ(act("a", operator_act::replay).answer, verdict::accepted);
        EXPECT_EQ(row("a").replays, replays);
    }
}

TEST_P(operator_acts, a_replay_beats_the_deadline_that_the_event_was_appended_with) {
    draft event("billing", "{}");
    event.id = "a";
    event.lifetime = 1min;
    append(event);
    time.advance(1h);
    claim();
    ASSERT_EQ(row("a").why, reason::lifetime);
    act("a", operator_act::replay);
    EXPECT_EQ(claim().events.size(), 1U);
}

TEST_P(operator_acts, a_cancelled_event_can_be_replayed) {
    append("a");
    act("a", operator_act::cancel);
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(act("a", operator_act::replay).answer, verdict::accepted);
    EXPECT_EQ(claim().events.size(), 1U);
}

TEST_P(operator_acts, a_delivered_event_is_sent_again_only_when_asked_for_explicitly) {
    append("a");
    const claimed_event first = claim_one();
    ack(first.key, outcome::delivered);
    EXPECT_EQ(act("a", operator_act::replay).answer, verdict::wrong_state);
    EXPECT_EQ(act("a", operator_act::replay, true).answer, verdict::accepted);
    EXPECT_EQ(row("a").how, std::nullopt);
    const claimed_event again = claim_one();
    EXPECT_GT(again.key.generation, first.key.generation);
    EXPECT_EQ(ack(first.key, outcome::delivered).answer, verdict::stale_generation)
        << "the ack of the first delivery is not one of the second";
    EXPECT_EQ(subject->attempts("a").size(), 2U) << "the first one is still known";
}

TEST_P(operator_acts, an_ack_before_a_replay_does_not_count_as_repeated_after_it) {
    append("a");
    const claimed_event first = claim_one("worker");
    ack(first.key, outcome::delivered);
    act("a", operator_act::replay, true);
    EXPECT_EQ(ack(first.key, outcome::delivered).answer, verdict::stale_generation);
    const claim_key nobody("a", "", row("a").generation);
    EXPECT_NE(ack(nobody, outcome::delivered).answer, verdict::accepted);
}

}  // namespace
}  // namespace leasebox::testing
