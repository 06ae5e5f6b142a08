#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(suspects);

TEST_P(suspects, a_suspect_waits_until_nothing_else_is_in_flight) {
    append("poison");
    claim_and_crash();
    claim_and_crash();
    append("innocent");
    const claim_reply taken = claim();
    EXPECT_EQ(ids_of(taken), std::vector<std::string>{"innocent"});
    EXPECT_TRUE(taken.suspect_waits);
    EXPECT_EQ(row("poison").attempts, 2) << "waiting spends nothing";
}

TEST_P(suspects, a_suspect_is_handed_out_alone) {
    append("poison");
    claim_and_crash();
    claim_and_crash();
    append("innocent");
    draft other("mail", "{}");
    append(other);
    claim_request nothing = everything("worker");
    nothing.any_destination = false;
    nothing.destinations = {{"billing", 1}};
    const claim_reply before = run<claim_reply>(nothing);
    ASSERT_TRUE(before.suspect_waits);
    ack(before.events.at(0).key, outcome::delivered);
    const claim_reply taken = claim_alone();
    EXPECT_EQ(ids_of(taken), std::vector<std::string>{"poison"});
    EXPECT_TRUE(taken.events.at(0).suspect);
    EXPECT_EQ(taken.events.at(0).expiries, 2);
}

TEST_P(suspects, two_suspects_are_handed_out_one_by_one) {
    append("poison");
    append("neighbour");
    for (int crash = 0; crash < 2; ++crash) {
        ASSERT_EQ(claim("crasher").events.size(), 2U);
        let_lease_run_out();
    }
    EXPECT_TRUE(claim().events.empty());
    const claim_reply first = claim_alone();
    ASSERT_EQ(first.events.size(), 1U);
    ack(first.events[0].key, outcome::delivered);
    const claim_reply second = claim_alone();
    ASSERT_EQ(second.events.size(), 1U);
    EXPECT_NE(second.events[0].key.id, first.events[0].key.id);
}

TEST_P(suspects, a_suspects_own_crash_convicts_it_and_no_neighbour) {
    append("poison");
    claim_and_crash();
    claim_and_crash();
    claim();
    ASSERT_EQ(ids_of(claim_alone()), std::vector<std::string>{"poison"});
    let_lease_run_out();
    append("innocent");
    const claim_reply taken = claim();
    EXPECT_EQ(ids_of(taken), std::vector<std::string>{"innocent"});
    EXPECT_FALSE(taken.suspect_waits) << "it is convicted already";
    ASSERT_EQ(taken.settled.size(), 1U);
    EXPECT_EQ(taken.settled[0].id, "poison");
    EXPECT_EQ(row("poison").why, reason::expiries);
    EXPECT_EQ(row("innocent").expiries, 0);
}

TEST_P(suspects, a_report_clears_a_suspect_of_its_lost_attempt) {
    append("a");
    claim_and_crash();
    const claimed_event second = claim_and_crash();
    EXPECT_TRUE(ack(second.key, outcome::retry).evidence_kept) << "its owner lives";
    const claim_reply taken = claim();
    EXPECT_EQ(ids_of(taken), std::vector<std::string>{"a"});
    EXPECT_EQ(taken.events.at(0).expiries, 1);
}

TEST_P(suspects, a_suspect_whose_delivery_is_proven_needs_no_other_attempt) {
    append("a");
    const claimed_event first = claim_and_crash();
    claim_and_crash();
    ack(first.key, outcome::delivered);
    claim();
    claim_alone();
    EXPECT_EQ(row("a").at, state::delivered);
    EXPECT_EQ(row("a").how, cause::evidence);
}

TEST_P(suspects, where_one_expiry_is_the_limit_there_are_no_suspects) {
    limits.expiries_max = 1;
    append("a");
    claim_and_crash();
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(row("a").why, reason::expiries);
}

TEST_P(suspects, a_suspect_in_a_lane_keeps_its_lane) {
    append_keyed("poison", "k");
    append_keyed("behind", "k");
    claim_and_crash();
    claim_and_crash();
    EXPECT_TRUE(claim().events.empty());
    EXPECT_TRUE(claim().events.empty());
    const claim_reply taken = claim_alone();
    EXPECT_EQ(ids_of(taken), std::vector<std::string>{"poison"});
}

TEST_P(suspects, a_suspect_that_was_parked_is_a_suspect_still) {
    append("poison");
    claim_and_crash();
    claim_and_crash();
    ASSERT_TRUE(claim().suspect_waits);
    act("poison", operator_act::park);
    act("poison", operator_act::unpark);
    const claim_reply taken = claim();
    EXPECT_TRUE(taken.events.empty());
    EXPECT_TRUE(taken.suspect_waits);
    EXPECT_EQ(ids_of(claim_alone()), std::vector<std::string>{"poison"});
}

TEST_P(suspects, a_replay_clears_a_suspect) {
    append("poison");
    claim_and_crash();
    claim_and_crash();
    claim();
    ack(claim_alone().events.at(0).key, outcome::rejected);
    act("poison", operator_act::replay);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"poison"});
}

TEST_P(suspects, a_suspect_whose_budget_is_used_up_is_not_sent_again) {
    limits.lifetime = 24h;
    append("poison");
    claim_and_crash();
    claim_and_crash();
    claim();
    time.advance(24h);
    claim();
    EXPECT_TRUE(claim_alone().events.empty());
    EXPECT_EQ(row("poison").why, reason::lifetime);
    EXPECT_EQ(row("poison").attempts, 2);
}

}  // namespace
}  // namespace leasebox::testing
