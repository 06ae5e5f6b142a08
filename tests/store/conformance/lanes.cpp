#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(lanes);

TEST_P(lanes, lane_numbers_rise_by_one_from_one) {
    for (int n = 0; n < 3; ++n)
        append_keyed("k-" + std::to_string(n), "k");
    append_keyed("other-key", "j");
    append_keyed("other-destination", "k", "mail");
    std::map<std::string, std::int64_t> numbers;
    for (int round = 0; round < 3; ++round) {
        for (const claimed_event& each : claim().events) {
            numbers[each.key.id] = each.lane_seq;
            ack(each.key, outcome::delivered);
        }
    }
    EXPECT_EQ(numbers,
              (std::map<std::string, std::int64_t>{
                  {"k-0", 1}, {"k-1", 2}, {"k-2", 3}, {"other-key", 1}, {"other-destination", 1}}));
}

TEST_P(lanes, a_lane_never_has_two_claimed) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    const claim_reply taken = claim();
    EXPECT_EQ(ids_of(taken), std::vector<std::string>{"first"});
    EXPECT_TRUE(claim("other").events.empty());
    ack(taken.events.at(0).key, outcome::delivered);
    EXPECT_EQ(claim_one().key.id, "second");
}

TEST_P(lanes, the_same_key_elsewhere_is_another_lane) {
    append_keyed("here", "k", "billing");
    append_keyed("there", "k", "mail");
    EXPECT_EQ(claim().events.size(), 2U);
}

TEST_P(lanes, a_failed_head_is_waited_for) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    ack_request asked = an_ack(claim_one().key, outcome::retry);
    asked.command.after = 1min;
    run<ack_reply>(asked);
    EXPECT_TRUE(claim().events.empty());
    time.advance(1min);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"first"});
}

TEST_P(lanes, a_delayed_head_holds_its_lane) {
    draft delayed("billing", "{}");
    delayed.id = "first";
    delayed.key = "k";
    delayed.delay = 1min;
    append(delayed);
    append_keyed("second", "k");
    const claim_reply waits = claim();
    EXPECT_TRUE(waits.events.empty());
    EXPECT_EQ(waits.next_due, waits.now + 1min) << "not the time of what is behind it";
    time.advance(1min);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"first"});
}

TEST_P(lanes, an_expired_head_is_reclaimed_before_the_next) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    claim_and_crash();
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"first"});
}

TEST_P(lanes, a_released_head_goes_first_again) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    ack(claim_one().key, outcome::released);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"first"});
}

TEST_P(lanes, a_dead_head_blocks_its_lane_and_no_other) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    append_keyed("neighbour", "j");
    append("free");
    for (const claimed_event& each : claim().events) {
        ack(each.key, each.key.id == "first" ? outcome::rejected : outcome::delivered);
    }
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(row("second").at, state::pending);
    EXPECT_EQ(subject->stats().lanes_blocked, 1);
    append_keyed("neighbour-2", "j");
    append("free-2");
    EXPECT_EQ(claim().events.size(), 2U);
}

TEST_P(lanes, where_its_destination_skips_the_dead_the_lane_goes_on) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    ack_request asked = an_ack(claim_one().key, outcome::rejected);
    asked.dead_head = on_dead::skip;
    run<ack_reply>(asked);
    EXPECT_EQ(subject->stats().lanes_blocked, 0);
    const claimed_event next = claim_one();
    EXPECT_EQ(next.key.id, "second");
    EXPECT_EQ(next.lane_seq, 2) << "the gap shows";
}

TEST_P(lanes, a_head_that_dies_in_the_claim_blocks_or_frees_its_lane) {
    for (const on_dead dead_head : {on_dead::block, on_dead::skip}) {
        const std::string to = dead_head == on_dead::block ? "blocking" : "skipping";
        draft old(to, "{}");
        old.id = to + "-old";
        old.key = "k";
        old.lifetime = 1min;
        append(old);
        append_keyed(to + "-next", "k", to);
        time.advance(1min);
        claim_request request = everything("worker");
        request.any_destination = false;
        request.destinations = {{to, 10, dead_head}};
        const claim_reply taken = run<claim_reply>(request);
        ASSERT_EQ(taken.settled.size(), 1U);
        const claim_reply after = run<claim_reply>(request);
        const std::size_t claimed = taken.events.size() + after.events.size();
        EXPECT_EQ(claimed, dead_head == on_dead::block ? 0U : 1U) << to;
    }
}

TEST_P(lanes, a_parked_head_blocks_its_lane) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    act("first", operator_act::park);
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(subject->stats().lanes_blocked, 1);
    act("first", operator_act::unpark);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"first"});
    EXPECT_EQ(subject->stats().lanes_blocked, 0);
}

TEST_P(lanes, a_cancelled_head_frees_its_lane) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    act("first", operator_act::cancel);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"second"});
}

TEST_P(lanes, what_is_cancelled_or_parked_behind_the_head_changes_nothing_for_it) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    append_keyed("third", "k");
    const claimed_event mine = claim_one();
    act("second", operator_act::cancel);
    EXPECT_TRUE(claim().events.empty());
    ack(mine.key, outcome::delivered);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"third"});
}

TEST_P(lanes, a_replayed_dead_head_goes_first_in_order) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    ack(claim_one().key, outcome::rejected);
    act("first", operator_act::replay);
    const claimed_event again = claim_one();
    EXPECT_EQ(again.key.id, "first");
    ack(again.key, outcome::delivered);
    EXPECT_EQ(claim_one().key.id, "second");
}

TEST_P(lanes, a_replay_does_not_overtake_a_claimed_event_of_its_lane) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    append_keyed("third", "k");
    ack_request asked = an_ack(claim_one().key, outcome::rejected);
    asked.dead_head = on_dead::skip;
    run<ack_reply>(asked);
    const claimed_event second = claim_one();
    act("first", operator_act::replay);
    EXPECT_TRUE(claim().events.empty()) << "the lane has a claimed event";
    ack(second.key, outcome::delivered);
    EXPECT_EQ(claim_one().key.id, "first") << "the older one goes before the third";
}

TEST_P(lanes, a_replayed_one_waits_for_the_older_dead_head) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    ack_request skipped = an_ack(claim_one().key, outcome::rejected);
    skipped.dead_head = on_dead::skip;
    run<ack_reply>(skipped);
    ack(claim_one().key, outcome::rejected);
    act("second", operator_act::replay);
    act("first", operator_act::replay);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"first"});
}

TEST_P(lanes, one_key_with_many_events_hides_nobody) {
    for (int n = 0; n < 100; ++n)
        append_keyed("k-" + std::to_string(n), "k");
    append("behind-them-all");
    claim_request request = everything("worker");
    request.limit = 2;
    const claim_reply taken = run<claim_reply>(request);
    EXPECT_EQ(ids_of(taken), (std::vector<std::string>{"k-0", "behind-them-all"}));
}

TEST_P(lanes, the_next_of_the_lane_is_due_as_soon_as_the_one_before_is_settled) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    const claimed_event first = claim_one();
    const std::vector<reply> replies =
        run_all({an_ack(first.key, outcome::delivered), everything("worker")});
    EXPECT_EQ(ids_of(std::get<claim_reply>(replies.at(1))), std::vector<std::string>{"second"});
}

TEST_P(lanes, proof_that_the_head_was_delivered_frees_its_lane) {
    append_keyed("first", "k");
    append_keyed("second", "k");
    const claimed_event lost = claim_and_crash();
    ack(lost.key, outcome::delivered);
    const claim_reply taken = claim();
    EXPECT_EQ(taken.settled.size(), 1U);
    const std::size_t claimed = taken.events.size() + claim().events.size();
    EXPECT_EQ(claimed, 1U);
    EXPECT_EQ(row("second").at, state::claimed);
}

TEST_P(lanes, a_skipped_event_is_announced_with_the_next_send_and_then_no_more) {
    for (const char* id : {"first", "second", "third", "fourth"}) append_keyed(id, "k");
    ack_request asked = an_ack(claim_one().key, outcome::rejected);
    asked.dead_head = on_dead::skip;
    run<ack_reply>(asked);
    const claimed_event second = claim_one();
    EXPECT_EQ(second.lane_gap, "1");
    ack(second.key, outcome::retry);
    time.advance(1s);
    const claimed_event again = claim_one();
    EXPECT_EQ(again.lane_gap, "1");
    ack(again.key, outcome::delivered);
    EXPECT_EQ(claim_one().lane_gap, "");
}

TEST_P(lanes, a_cancelled_event_is_a_gap_too) {
    for (const char* id : {"first", "second", "third"}) append_keyed(id, "k");
    act("second", operator_act::cancel);
    const claimed_event first = claim_one();
    EXPECT_EQ(first.lane_gap, "");
    ack(first.key, outcome::delivered);
    EXPECT_EQ(claim_one().lane_gap, "2");
}

TEST_P(lanes, a_skipped_event_that_is_replayed_is_no_gap_any_more) {
    for (const char* id : {"first", "second"}) append_keyed(id, "k");
    ack_request asked = an_ack(claim_one().key, outcome::rejected);
    asked.dead_head = on_dead::skip;
    run<ack_reply>(asked);
    act("first", operator_act::replay);
    const claimed_event first = claim_one();
    EXPECT_EQ(first.key.id, "first");
    ack(first.key, outcome::delivered);
    EXPECT_EQ(claim_one().lane_gap, "");
}

}  // namespace
}  // namespace leasebox::testing
