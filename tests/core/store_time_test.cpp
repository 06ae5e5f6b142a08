// The store's time as a dialogue: a mark, a reading, the time that follows.
#include <gtest/gtest.h>

#include "leasebox/core/time.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;

constexpr store_time noon = from_ms(1'000'000'000);
constexpr boot_time up{1h};

TEST(read_store_time, a_new_store_takes_the_wall_clock) {
    EXPECT_EQ(read_store_time({}, {noon, up, "boot-1"}), noon);
}

TEST(read_store_time, a_wall_ahead_of_the_mark_is_believed) {
    const clock_mark mark{noon, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon + 24h, up + 1s, "boot-1"}), noon + 24h);
    EXPECT_EQ(read_store_time(mark, {noon, up, "boot-1"}), noon);
}

TEST(read_store_time, a_wall_behind_the_mark_makes_time_go_on_with_the_boot_clock) {
    const clock_mark mark{noon, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon - 24h, up, "boot-1"}), noon);
    EXPECT_EQ(read_store_time(mark, {noon - 24h, up + 5s, "boot-1"}), noon + 5s);
    EXPECT_EQ(read_store_time(mark, {noon - 24h, up + 48h, "boot-1"}), noon + 48h);
}

TEST(read_store_time, a_wall_that_went_back_to_just_ahead_of_the_mark_takes_no_time_back) {
    // Read at noon + 60 s, and not written down; then the wall was set back by 55 s.
    const clock_mark mark{noon, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon + 60s, up + 60s, "boot-1"}), noon + 60s);
    EXPECT_EQ(read_store_time(mark, {noon + 5s, up + 60s, "boot-1"}), noon + 60s);
}

TEST(read_store_time, parts_of_a_millisecond_do_not_count) {
    const clock_mark mark{noon, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon - 1h, up + 1'999us, "boot-1"}), noon + 1ms);
}

TEST(read_store_time, another_boot_says_nothing_about_the_time_since_the_mark) {
    const clock_mark mark{noon, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon - 24h, up + 5s, "boot-2"}), noon);
    EXPECT_EQ(read_store_time(mark, {noon + 1ms, boot_time{}, "boot-2"}), noon + 1ms);
}

TEST(read_store_time, a_mark_without_a_boot_clock_is_never_gone_behind) {
    const clock_mark mark{noon, std::nullopt, ""};
    EXPECT_EQ(read_store_time(mark, {noon - 24h, up + 5s, ""}), noon);
}

TEST(read_store_time, a_boot_clock_behind_the_mark_does_not_take_time_back) {
    const clock_mark mark{noon, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon - 24h, up - 5s, "boot-1"}), noon);
}

TEST(read_store_time, the_end_of_time_is_not_passed) {
    const clock_mark mark{store_time_max, up, "boot-1"};
    EXPECT_EQ(read_store_time(mark, {noon, up + 24h, "boot-1"}), store_time_max);
}

TEST(read_store_time, it_never_steps_back_over_any_walk_of_the_clocks) {
    clock_mark mark{noon, up, "boot-1"};
    store_time wall = noon;
    boot_time boot = up;
    std::uint64_t random = 7;
    for (int step = 0; step < 10'000; ++step) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        const auto by = milliseconds{static_cast<std::int64_t>(random >> 40U) - (1 << 23)};
        wall += by;
        boot += 1ms;
        const store_time next = read_store_time(mark, {wall, boot, "boot-1"});
        ASSERT_GT(next, mark.high) << "after step " << step << " of " << by.count() << " ms";
        mark = {next, boot, "boot-1"};
    }
}

}  // namespace
}  // namespace leasebox
