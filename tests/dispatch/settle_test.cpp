#include "dispatch/settle.hpp"

#include <gtest/gtest.h>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;

struct settling : testing::Test {
    settling() {
        options.retry = {1s, 1min};
        event.attempt = 3;
    }
    milliseconds delay_for(const delivery& said, std::uint64_t random = ~0ull) {
        return make_ack(event, said, options, {}, random, false).command.after;
    }
    dispatcher_options options;
    claimed_event event;
};

TEST_F(settling, a_failure_is_retried_after_full_jitter_below_the_grown_bound) {
    for (std::uint64_t random = 0; random < 100'000; random += 977) {
        const milliseconds delay = delay_for(delivery(outcome::retry), random);
        EXPECT_GE(delay, 1ms);
        EXPECT_LE(delay, 4s);
    }
}

TEST_F(settling, a_wish_of_zero_is_no_hot_loop) {
    delivery said(outcome::retry);
    said.retry_after = 0ms;
    EXPECT_GE(delay_for(said, 0), 1ms);
    EXPECT_EQ(delay_for(said, 2'999), 3s);
}

TEST_F(settling, a_wish_without_end_is_clamped_to_the_longest_backoff) {
    delivery said(outcome::retry);
    said.retry_after = milliseconds::max();
    EXPECT_EQ(delay_for(said), 1min);
    said.retry_after = milliseconds::min();
    EXPECT_LE(delay_for(said), 4s);
}

TEST_F(settling, a_consumer_that_still_works_is_asked_again_soon) {
    delivery said(outcome::retry);
    said.soon = true;
    EXPECT_LE(delay_for(said), 1s);
}

TEST_F(settling, what_is_released_is_no_hot_loop_unless_somebody_else_shall_have_it) {
    const delivery said(outcome::released);
    EXPECT_GE(make_ack(event, said, options, {}, 0, false).command.after, 1ms);
    EXPECT_EQ(make_ack(event, said, options, {}, 0, true).command.after, 0ms);
}

TEST_F(settling, only_an_answer_for_all_events_holds_the_destination) {
    delivery said(outcome::retry);
    said.retry_after = 10s;
    EXPECT_EQ(hold_of(said, options.retry), 0ms);
    said.hold_destination = true;
    EXPECT_EQ(hold_of(said, options.retry), 10s);
    said.retry_after = 24h;
    EXPECT_EQ(hold_of(said, options.retry), 1min);
}

TEST_F(settling, the_report_carries_the_claim_and_the_destinations_policy) {
    event.key = claim_key("e1", "o1", 7);
    destination_options how;
    how.dead_head = on_dead::skip;
    const ack_request request = make_ack(event, delivery(outcome::rejected, "no"), options, how, 0, false);
    EXPECT_EQ(request.command.key, event.key);
    EXPECT_EQ(request.command.what.result, outcome::rejected);
    EXPECT_EQ(request.command.what.detail, "no");
    EXPECT_EQ(request.dead_head, on_dead::skip);
}

}  // namespace
}  // namespace leasebox::dispatch
