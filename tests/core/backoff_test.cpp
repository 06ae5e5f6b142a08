#include <gtest/gtest.h>

#include <limits>

#include "leasebox/core/budget.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t random_max = std::numeric_limits<std::uint64_t>::max();
constexpr int failures_max = std::numeric_limits<int>::max();

TEST(backoff_bound, it_doubles_up_to_its_maximum) {
    const backoff growth{1s, 10s};
    EXPECT_EQ(growth.bound(1), 1s);
    EXPECT_EQ(growth.bound(2), 2s);
    EXPECT_EQ(growth.bound(3), 4s);
    EXPECT_EQ(growth.bound(4), 8s);
    EXPECT_EQ(growth.bound(5), 10s);
    EXPECT_EQ(growth.bound(6), 10s);
}

TEST(backoff_bound, it_never_overflows) {
    EXPECT_EQ((backoff{1s, 1h}).bound(failures_max), 1h);
    EXPECT_EQ((backoff{1ms, milliseconds::max()}).bound(failures_max), milliseconds::max());
    EXPECT_EQ((backoff{milliseconds::max(), milliseconds::max()}).bound(2), milliseconds::max());
}

TEST(backoff_bound, a_first_delay_beyond_the_maximum_is_cut) {
    EXPECT_EQ((backoff{1h, 1s}).bound(1), 1s);
    EXPECT_EQ((backoff{1h, 1s}).bound(9), 1s);
}

TEST(backoff_bound, before_any_failure_it_is_that_of_the_first) {
    EXPECT_EQ((backoff{1s, 1h}).bound(0), 1s);
    EXPECT_EQ((backoff{1s, 1h}).bound(-1), 1s);
}

TEST(backoff_delay, it_is_drawn_from_one_millisecond_to_the_bound) {
    const backoff growth{1s, 1h};
    EXPECT_EQ(growth.delay(1, 0), 1ms);
    EXPECT_EQ(growth.delay(1, 999), 1s);
    EXPECT_EQ(growth.delay(1, 1000), 1ms);
    for (const std::uint64_t random : {std::uint64_t{0}, std::uint64_t{12345}, random_max}) {
        for (int failures = 1; failures < 70; ++failures) {
            EXPECT_GE(growth.delay(failures, random), 1ms);
            EXPECT_LE(growth.delay(failures, random), growth.bound(failures));
        }
    }
}

TEST(backoff_delay, a_failure_never_spins_whatever_the_options) {
    for (const milliseconds first : {milliseconds(0), milliseconds(-5), milliseconds::min()}) {
        EXPECT_GE((backoff{first, 1h}).delay(1, random_max), 1ms);
        EXPECT_GE((backoff{1s, first}).delay(9, random_max), 1ms);
    }
}

TEST(backoff_delay, the_largest_bound_does_not_overflow) {
    const backoff endless{milliseconds::max(), milliseconds::max()};
    EXPECT_GE(endless.delay(failures_max, random_max), 1ms);
    EXPECT_GE(endless.delay(1, static_cast<std::uint64_t>(milliseconds::max().count()) - 1), 1ms);
}

}  // namespace
}  // namespace leasebox
