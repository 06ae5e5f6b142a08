#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(pausing);

TEST_P(pausing, a_paused_destination_is_not_claimed_until_it_is_resumed) {
    append("here", "billing");
    append("there", "mail");
    run<pause_reply>(pause_request{"billing", true});
    const claim_reply taken = claim();
    ASSERT_EQ(taken.events.size(), 1U);
    EXPECT_EQ(taken.events[0].key.id, "there");
    append("later", "billing");
    EXPECT_TRUE(claim("other").events.empty());
    EXPECT_TRUE(subject->stats().destinations["billing"].paused);
    run<pause_reply>(pause_request{"billing", false});
    EXPECT_EQ(claim("other").events.size(), 2U);
    EXPECT_FALSE(subject->stats().destinations["billing"].paused);
}

TEST_P(pausing, what_is_in_flight_goes_on) {
    append("e1", "billing");
    const claimed_event held = claim_one();
    run<pause_reply>(pause_request{"billing", true});
    EXPECT_EQ(ack(held.key, outcome::delivered).answer, verdict::accepted);
}

TEST_P(pausing, a_destination_may_be_paused_before_its_first_event) {
    run<pause_reply>(pause_request{"billing", true});
    append("e1", "billing");
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(subject->explain("e1")->code, "destination_paused");
}

LEASEBOX_ON_EVERY_STORE(explaining);

TEST_P(explaining, each_state_has_its_code) {
    EXPECT_FALSE(subject->explain("nobody"));
    append("e1", "billing");
    EXPECT_EQ(subject->explain("e1")->code, "due");
    const claimed_event held = claim_one();
    EXPECT_EQ(subject->explain("e1")->code, "leased");
    EXPECT_EQ(subject->explain("e1")->until, held.lease_until);
    ack_request asked = an_ack(held.key, outcome::retry);
    asked.command.after = 1min;
    run<ack_reply>(asked);
    EXPECT_EQ(subject->explain("e1")->code, "not_before");
    EXPECT_EQ(subject->explain("e1")->until, row("e1").not_before);
    act("e1", operator_act::park);
    EXPECT_EQ(subject->explain("e1")->code, "parked");
    act("e1", operator_act::cancel);
    EXPECT_EQ(subject->explain("e1")->code, "settled");
}

TEST_P(explaining, a_lane_that_waits_names_the_event_it_waits_for) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    const auto behind_pending = subject->explain("second");
    EXPECT_EQ(behind_pending->code, "lane_blocked_by");
    EXPECT_EQ(behind_pending->by, "first");
    ack(claim_one().key, outcome::rejected);
    const auto behind_dead = subject->explain("second");
    EXPECT_EQ(behind_dead->by, "first");
    EXPECT_NE(behind_dead->detail.find("replay"), std::string::npos);
    EXPECT_EQ(subject->explain("first")->code, "settled");
}

TEST_P(explaining, an_expired_claim_is_due) {
    append("e1", "billing");
    claim_one();
    let_lease_run_out();
    EXPECT_EQ(subject->explain("e1")->code, "due");
}

}  // namespace
}  // namespace leasebox::testing
