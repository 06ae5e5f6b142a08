#include "dispatch/breaker.hpp"

#include <gtest/gtest.h>

#include "dispatch/ramp.hpp"

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;
using change = breaker::change;

struct breaking : ::testing::Test {
    // One attempt that starts and ends now.
    change attempt(bool failed) {
        return subject.ended(subject.started(now), failed, now, random);
    }
    change fails() { return attempt(true); }
    change succeeds() { return attempt(false); }
    void open() {
        for (int at = 0; at < 9; ++at) EXPECT_EQ(fails(), change::none);
        EXPECT_EQ(fails(), change::opened);
    }
    std::chrono::nanoseconds left() const { return *subject.open_until() - now; }

    breaker subject{breaker_options{}};
    boot_time now{1h};
    std::uint64_t random = 500;  // the longest that the first time may be
};

TEST_F(breaking, too_few_attempts_prove_nothing) {
    for (int at = 0; at < 9; ++at) fails();
    EXPECT_TRUE(subject.is_closed());
}

TEST_F(breaking, opens_above_the_share_and_not_at_it) {
    for (int at = 0; at < 50; ++at) {
        EXPECT_EQ(succeeds(), change::none);
        EXPECT_EQ(fails(), change::none);
    }
    EXPECT_EQ(fails(), change::opened);
    EXPECT_FALSE(subject.is_closed());
}

TEST_F(breaking, forgets_what_is_older_than_its_window) {
    for (int at = 0; at < 9; ++at) fails();
    now += 10s;
    EXPECT_EQ(fails(), change::none);
    now += 9s;
    for (int at = 0; at < 8; ++at) EXPECT_EQ(fails(), change::none);
    EXPECT_EQ(fails(), change::opened);
}

TEST_F(breaking, a_share_of_all_never_opens) {
    breaker_options how;
    how.failure_percent = 100;
    subject = breaker(how);
    for (int at = 0; at < 1000; ++at) EXPECT_EQ(fails(), change::none);
}

TEST_F(breaking, one_probe_goes_after_the_time_and_its_success_closes) {
    open();
    EXPECT_EQ(left(), 1s);
    now += 1s;
    const std::uint64_t probe = subject.started(now);
    EXPECT_TRUE(subject.is_probing());
    EXPECT_EQ(subject.ended(probe, false, now, random), change::closed);
    EXPECT_TRUE(subject.is_closed());
    EXPECT_FALSE(subject.is_probing());
}

TEST_F(breaking, each_failed_probe_opens_for_longer_up_to_the_bound) {
    random = ~0ull;
    open();
    std::chrono::nanoseconds last = left();
    for (int at = 0; at < 5; ++at) {
        now += left();
        EXPECT_EQ(fails(), change::none);
        EXPECT_GE(left(), last);
        last = left();
    }
    for (int at = 0; at < 1000; ++at) {
        now += left();
        fails();
        EXPECT_GE(left(), 30s);
        EXPECT_LE(left(), 1min);
    }
}

TEST_F(breaking, chance_never_makes_it_more_than_the_bound_or_less_than_its_half) {
    for (std::uint64_t word = 0; word < 5'000; word += 7) {
        subject = breaker(breaker_options{});
        random = word;
        open();
        EXPECT_GE(left(), 500ms);
        EXPECT_LE(left(), 1s);
    }
}

TEST_F(breaking, attempts_from_before_it_opened_are_no_probes) {
    const std::uint64_t old = subject.started(now);
    const std::uint64_t older = subject.started(now);
    open();
    now += 1s;
    const std::uint64_t probe = subject.started(now);
    EXPECT_EQ(subject.ended(old, false, now, random), change::none);
    EXPECT_FALSE(subject.is_closed());
    EXPECT_EQ(subject.ended(probe, false, now, random), change::closed);
    for (int at = 0; at < 20; ++at) subject.ended(older, true, now, random);
    EXPECT_TRUE(subject.is_closed());
}

TEST_F(breaking, what_starts_while_it_is_open_is_no_probe) {
    open();
    const std::uint64_t late = subject.started(now);
    EXPECT_FALSE(subject.is_probing());
    EXPECT_EQ(subject.ended(late, false, now, random), change::none);
    EXPECT_FALSE(subject.is_closed());
}

TEST_F(breaking, a_probe_that_says_nothing_makes_room_for_another) {
    open();
    now += 1s;
    subject.forget(subject.started(now));
    EXPECT_FALSE(subject.is_probing());
    EXPECT_EQ(succeeds(), change::closed);
}

TEST_F(breaking, one_that_comes_and_goes_is_left_alone_for_longer_and_longer) {
    random = ~0ull;
    open();
    const auto first = left();
    now += left();
    EXPECT_EQ(succeeds(), change::closed);
    open();
    EXPECT_GT(left(), first);
    now += left();
    succeeds();
    now += 2min;
    open();
    EXPECT_LE(left(), 1s);
}

TEST(ramp, doubles_each_second_and_ends) {
    boot_time now{1h};
    ramp subject;
    EXPECT_EQ(subject.available(now), ramp::unlimited);
    subject.begin(now);
    for (int most = 1; most <= 512; most *= 2) {
        EXPECT_EQ(subject.available(now), most);
        EXPECT_EQ(subject.next(now), now);
        for (int at = 0; at < most; ++at) subject.started(now + 500ms);
        EXPECT_EQ(subject.available(now + 999ms), 0);
        EXPECT_EQ(subject.next(now + 999ms), now + 1s);
        now += 1s;
    }
    EXPECT_EQ(subject.available(now), ramp::unlimited);
    EXPECT_EQ(subject.available(now + 24h * 3650), ramp::unlimited);
}

}  // namespace
}  // namespace leasebox::dispatch
