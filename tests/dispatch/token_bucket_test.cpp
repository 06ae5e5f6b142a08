#include "dispatch/token_bucket.hpp"

#include <gtest/gtest.h>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr boot_time start{1h};

// Takes whatever may start, whenever the bucket says so.
int started_within(const send_rate& how, std::chrono::nanoseconds length) {
    token_bucket bucket(how);
    int started = 0;
    for (boot_time now = start; now < start + length; now = std::max(now, bucket.next())) {
        for (; bucket.available(now) > 0; ++started) bucket.take(now);
    }
    return started;
}

TEST(token_bucket, begins_with_one_seconds_worth_and_at_least_one) {
    EXPECT_EQ(token_bucket({100, 1s}).available(start), 100);
    EXPECT_EQ(token_bucket({600, 1min}).available(start), 10);
    EXPECT_EQ(token_bucket({30, 1min}).available(start), 1);
    EXPECT_EQ(token_bucket({1, 1h}).available(start), 1);
}

TEST(token_bucket, over_any_time_starts_its_rate_and_one_burst) {
    struct row {
        send_rate how;
        std::chrono::nanoseconds length;
        int most;
    };
    for (const row& each : {row{{100, 1s}, 1min, 6'100}, row{{3, 1s}, 1min, 183},
                            row{{60, 1min}, 1h, 3'601}, row{{7, 1h}, 10h, 71},
                            row{{1'000'000, 1s}, 100ms, 1'100'000}}) {
        const int started = started_within(each.how, each.length);
        EXPECT_LE(started, each.most);
        EXPECT_GE(started, each.most - 1);
    }
}

TEST(token_bucket, names_the_moment_of_the_next_start) {
    token_bucket bucket({2, 1s});
    EXPECT_LE(bucket.next(), start);
    bucket.take(start);
    EXPECT_LE(bucket.next(), start);
    bucket.take(start);
    EXPECT_EQ(bucket.available(start), 0);
    EXPECT_EQ(bucket.next(), start + 500ms);
    EXPECT_EQ(bucket.available(start + 500ms - 1ns), 0);
    EXPECT_EQ(bucket.available(start + 500ms), 1);
}

TEST(token_bucket, saves_no_more_than_a_burst) {
    token_bucket bucket({2, 1s});
    bucket.take(start);
    EXPECT_EQ(bucket.available(start + 24h * 365), 2);
}

TEST(token_bucket, pays_back_what_was_taken_beyond_it) {
    token_bucket bucket({1, 1s});
    for (int at = 0; at < 5; ++at) bucket.take(start);
    EXPECT_EQ(bucket.available(start + 4999ms), 0);
    EXPECT_EQ(bucket.available(start + 5s), 1);
}

}  // namespace
}  // namespace leasebox::dispatch
