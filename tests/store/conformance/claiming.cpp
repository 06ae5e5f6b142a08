#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(claiming);

TEST_P(claiming, a_claim_hands_out_everything_that_is_needed_to_send) {
    draft event("billing", "{\"n\":1}");
    event.id = "a";
    event.key = "customer-7";
    event.type = "order.placed";
    event.content_type = "application/cloudevents+json";
    event.headers = {{"x-tenant", "7"}};
    const receipt appended = append(event);
    time.advance(1s);
    const claim_reply taken = claim("worker");
    ASSERT_EQ(taken.events.size(), 1U);
    const claimed_event& mine = taken.events[0];
    EXPECT_EQ(mine.key.id, "a");
    EXPECT_EQ(mine.key.owner, "worker");
    EXPECT_GT(mine.key.generation, 0);
    EXPECT_EQ(mine.seq, appended.seq);
    EXPECT_EQ(mine.attempt, 1);
    EXPECT_EQ(mine.claimed_at, taken.now);
    EXPECT_EQ(mine.lease_until, taken.now + lease);
    EXPECT_EQ(mine.destination, "billing");
    EXPECT_EQ(mine.lane, "customer-7");
    EXPECT_EQ(mine.lane_seq, 1);
    EXPECT_EQ(mine.type, "order.placed");
    EXPECT_EQ(mine.content_type, "application/cloudevents+json");
    EXPECT_EQ(mine.headers, "{\"x-tenant\":\"7\"}");
    EXPECT_EQ(mine.payload, "{\"n\":1}");
    EXPECT_EQ(mine.appended_at, taken.now - 1s);
    EXPECT_FALSE(mine.uncertain);
    EXPECT_FALSE(mine.suspect);
}

TEST_P(claiming, an_event_without_key_or_type_has_neither) {
    append("a");
    const claimed_event mine = claim_one();
    EXPECT_EQ(mine.lane, std::nullopt);
    EXPECT_EQ(mine.lane_seq, 0);
    EXPECT_EQ(mine.type, "");
    EXPECT_EQ(mine.headers, "{}");
}

TEST_P(claiming, a_payload_of_any_bytes_comes_out_as_it_went_in) {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte)
        bytes += static_cast<char>(byte);
    append(draft("billing", bytes));
    EXPECT_EQ(claim_one().payload, bytes);
}

TEST_P(claiming, what_is_claimed_is_not_claimed_twice) {
    append("a");
    claim_one();
    EXPECT_TRUE(claim("other").events.empty());
    EXPECT_EQ(row("a").owner, "worker");
}

TEST_P(claiming, two_claims_in_one_millisecond_have_two_generations) {
    append("a");
    const claimed_event first = claim_one("worker");
    ack(first.key, outcome::released);
    const claimed_event second = claim_one("worker");
    EXPECT_EQ(first.claimed_at, second.claimed_at);
    EXPECT_GT(second.key.generation, first.key.generation);
}

TEST_P(claiming, the_events_of_one_claim_share_a_generation_and_claims_never_do) {
    append("a");
    append("b");
    append("c");
    claim_request two = everything("worker");
    two.limit = 2;
    const claim_reply first = run<claim_reply>(two);
    ASSERT_EQ(first.events.size(), 2U);
    EXPECT_EQ(first.events[0].key.generation, first.events[1].key.generation);
    EXPECT_GT(claim_one().key.generation, first.events[0].key.generation);
}

TEST_P(claiming, a_claim_that_takes_nothing_spends_no_generation) {
    append("a");
    const std::int64_t before = claim_one().key.generation;
    for (int round = 0; round < 5; ++round)
        EXPECT_TRUE(claim().events.empty());
    append("b");
    EXPECT_EQ(claim_one().key.generation, before + 1);
}

TEST_P(claiming, a_raised_floor_leaves_a_gap_of_a_block) {
    append("a");
    const std::int64_t before = claim_one().key.generation;
    subject->raise_generation_floor();
    append("b");
    EXPECT_EQ(claim_one().key.generation, before + 1024 + 1);
}

TEST_P(claiming, the_lease_counts_from_the_claim_not_from_the_append) {
    append("a");
    time.advance(lease * 10);
    const claimed_event mine = claim_one();
    time.advance(lease - 1ms);
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::accepted);
}

TEST_P(claiming, never_more_than_the_limit) {
    for (int n = 0; n < 10; ++n)
        append(draft("billing", "{}"));
    claim_request request = everything("worker");
    request.limit = 3;
    const claim_reply taken = run<claim_reply>(request);
    EXPECT_EQ(taken.events.size(), 3U);
    ASSERT_TRUE(taken.next_due);
    EXPECT_LE(*taken.next_due, taken.now) << "seven are left over and due";
}

TEST_P(claiming, never_more_than_the_slots_of_a_destination) {
    for (int n = 0; n < 5; ++n) {
        append(draft("billing", "{}"));
        append(draft("mail", "{}"));
    }
    claim_request request = everything("worker");
    request.any_destination = false;
    request.destinations = {{"billing", 2}, {"mail", 4}};
    int billing = 0;
    int mail = 0;
    for (const claimed_event& each : run<claim_reply>(request).events) {
        (each.destination == "billing" ? billing : mail) += 1;
    }
    EXPECT_EQ(billing, 2);
    EXPECT_EQ(mail, 4);
}

TEST_P(claiming, destinations_that_are_not_asked_for_are_left_alone) {
    limits.lifetime = 1min;
    append("a", "unknown");
    time.advance(1h);
    claim_request request = everything("worker");
    request.any_destination = false;
    request.destinations = {{"billing", 10}};
    const std::string before = all_of("a");
    const claim_reply taken = run<claim_reply>(request);
    EXPECT_TRUE(taken.events.empty());
    EXPECT_TRUE(taken.settled.empty()) << "who does not serve a destination kills nothing of it";
    EXPECT_EQ(taken.next_due, std::nullopt);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(claiming, a_destination_without_slots_gets_nothing) {
    append("a");
    claim_request request = everything("worker");
    request.any_destination = false;
    request.destinations = {{"billing", 0}};
    EXPECT_TRUE(run<claim_reply>(request).events.empty());
    EXPECT_EQ(row("a").at, state::pending);
}

TEST_P(claiming, expired_ones_come_first_then_the_oldest) {
    append("lost");
    const claimed_event lost = claim_one();
    append("old");
    time.advance(1s);
    append("new");
    let_lease_run_out();
    const claim_reply taken = claim();
    EXPECT_EQ(ids_of(taken), (std::vector<std::string>{"lost", "old", "new"}));
    EXPECT_EQ(taken.expired, 1);
}

TEST_P(claiming, a_later_append_that_is_due_earlier_goes_first) {
    draft delayed("billing", "{}");
    delayed.id = "delayed";
    delayed.delay = 10s;
    append(delayed);
    append("prompt");
    time.advance(20s);
    EXPECT_EQ(ids_of(claim()), (std::vector<std::string>{"prompt", "delayed"}));
}

TEST_P(claiming, one_backlog_does_not_starve_another_destinations_single_event) {
    for (int n = 0; n < 50; ++n)
        append(draft("busy", "{}"));
    append("single", "quiet");
    append("other", "calm");
    claim_request request = everything("worker");
    request.limit = 4;
    const claim_reply taken = run<claim_reply>(request);
    ASSERT_EQ(taken.events.size(), 4U);
    EXPECT_EQ(row("single").at, state::claimed);
    EXPECT_EQ(row("other").at, state::claimed);
}

TEST_P(claiming, with_one_slot_at_a_time_every_destination_has_its_turn) {
    for (const char* name : {"one", "two", "three"}) {
        for (int n = 0; n < 5; ++n)
            append(draft(name, "{}"));
    }
    claim_request request = everything("worker");
    request.limit = 1;
    std::map<std::string, int> turns;
    for (int round = 0; round < 6; ++round) {
        turns[run<claim_reply>(request).events.at(0).destination] += 1;
    }
    EXPECT_EQ(turns, (std::map<std::string, int>{{"one", 2}, {"two", 2}, {"three", 2}}));
}

TEST_P(claiming, the_next_due_time_is_the_end_of_the_earliest_delay_or_lease) {
    EXPECT_EQ(claim().next_due, std::nullopt);
    draft delayed("billing", "{}");
    delayed.delay = 1min;
    append(delayed);
    const claim_reply waits = claim();
    EXPECT_EQ(waits.next_due, waits.now + 1min);
    append("a");
    const claim_reply taken = claim();
    ASSERT_EQ(taken.events.size(), 1U);
    EXPECT_EQ(taken.next_due, taken.now + lease);
}

TEST_P(claiming, the_next_due_time_is_of_the_destinations_asked_for) {
    draft sooner("mail", "{}");
    sooner.delay = 1min;
    append(sooner);
    draft later("billing", "{}");
    later.delay = 1h;
    append(later);
    claim_request request = everything("worker");
    request.any_destination = false;
    request.destinations = {{"billing", 10}};
    const claim_reply taken = run<claim_reply>(request);
    EXPECT_EQ(taken.next_due, taken.now + 1h);
}

TEST_P(claiming, a_lease_of_absurd_length_is_clamped) {
    append("a");
    lease = milliseconds::max();
    EXPECT_EQ(claim_one().lease_until, store_time_max);
    EXPECT_EQ(row("a").lease_until, store_time_max);
}

}  // namespace
}  // namespace leasebox::testing
