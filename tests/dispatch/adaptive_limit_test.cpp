#include "dispatch/adaptive_limit.hpp"

#include <gtest/gtest.h>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;

void fail(adaptive_limit& limit, int times) {
    for (int at = 0; at < times; ++at) limit.failed();
}

void succeed(adaptive_limit& limit, int times, std::chrono::nanoseconds took = 10ms) {
    for (int at = 0; at < times; ++at) limit.succeeded(took);
}

TEST(adaptive_limit, begins_with_what_was_configured_and_never_exceeds_it) {
    adaptive_limit limit(16, true);
    EXPECT_EQ(limit.now(), 16);
    succeed(limit, 1000);
    EXPECT_EQ(limit.now(), 16);
}

TEST(adaptive_limit, one_failure_among_successes_changes_nothing) {
    adaptive_limit limit(16, true);
    for (int at = 0; at < 100; ++at) {
        limit.failed();
        succeed(limit, 15);
        EXPECT_EQ(limit.now(), 16);
    }
}

TEST(adaptive_limit, failures_halve_it_once_a_round) {
    adaptive_limit limit(16, true);
    fail(limit, 3);
    EXPECT_EQ(limit.now(), 8);
    fail(limit, 15);
    EXPECT_EQ(limit.now(), 8);
    fail(limit, 1);
    EXPECT_EQ(limit.now(), 4);
}

TEST(adaptive_limit, is_never_below_one) {
    adaptive_limit limit(16, true);
    fail(limit, 10'000);
    EXPECT_EQ(limit.now(), 1);
}

TEST(adaptive_limit, grows_back_by_about_one_a_round) {
    adaptive_limit limit(16, true);
    fail(limit, 10'000);
    int rounds = 0;
    for (; limit.now() < 16; ++rounds) succeed(limit, limit.now());
    EXPECT_GE(rounds, 14);
    EXPECT_LE(rounds, 24);
}

TEST(adaptive_limit, doubles_with_each_round_after_a_restart) {
    adaptive_limit limit(16, true);
    limit.restart();
    for (const int expected : {1, 2, 4, 8, 16, 16}) {
        EXPECT_EQ(limit.now(), expected);
        succeed(limit, limit.now());
    }
}

TEST(adaptive_limit, trouble_ends_the_doubling) {
    adaptive_limit limit(64, true);
    limit.restart();
    succeed(limit, 15);
    fail(limit, 3);
    EXPECT_EQ(limit.now(), 8);
    succeed(limit, 8);
    EXPECT_EQ(limit.now(), 8);
    succeed(limit, 2);
    EXPECT_EQ(limit.now(), 9);
}

TEST(adaptive_limit, a_consumer_far_slower_than_usual_gets_less) {
    adaptive_limit limit(16, true);
    succeed(limit, 100, 50ms);
    succeed(limit, 30, 2s);
    EXPECT_LT(limit.now(), 16);
    succeed(limit, 100, 2s);
    EXPECT_LT(limit.now(), 8);
    EXPECT_GE(limit.now(), 1);
    succeed(limit, 500, 50ms);
    EXPECT_EQ(limit.now(), 16);
}

TEST(adaptive_limit, what_stays_slow_is_usual_in_the_end) {
    adaptive_limit limit(16, true);
    succeed(limit, 100, 50ms);
    succeed(limit, 300, 1s);
    EXPECT_LT(limit.now(), 16);
    succeed(limit, 3'000, 1s);
    EXPECT_EQ(limit.now(), 16);
}

TEST(adaptive_limit, a_quick_consumer_may_vary_as_it_likes) {
    adaptive_limit limit(16, true);
    succeed(limit, 100, 20us);
    succeed(limit, 100, 90ms);
    EXPECT_EQ(limit.now(), 16);
}

TEST(adaptive_limit, switched_off_it_is_what_was_configured) {
    adaptive_limit limit(16, false);
    fail(limit, 100);
    succeed(limit, 100, 10ms);
    succeed(limit, 100, 10s);
    limit.restart();
    EXPECT_EQ(limit.now(), 16);
}

}  // namespace
}  // namespace leasebox::dispatch
