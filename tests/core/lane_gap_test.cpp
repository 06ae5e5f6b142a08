#include "leasebox/core/lane_gap.hpp"

#include <gtest/gtest.h>

namespace leasebox {
namespace {

lane_gap skipped(std::initializer_list<int> numbers) {
    lane_gap gap;
    for (const int each : numbers) gap.moved(each, true, false, state::dead);
    return gap;
}

TEST(lane_gap, neighbours_become_ranges_in_any_order) {
    EXPECT_EQ(skipped({3, 5, 7, 6}).text(), "3,5-7");
    EXPECT_EQ(skipped({1, 2, 3}).text(), "1-3");
    EXPECT_EQ(skipped({3, 1, 2}).text(), "1-3");
    EXPECT_EQ(skipped({2, 2}).text(), "2");
}

TEST(lane_gap, a_send_announces_only_what_comes_before_it) {
    const lane_gap gap = skipped({1, 2, 5, 6, 9});
    EXPECT_EQ(gap.before(6), "1-2,5");
    EXPECT_EQ(gap.before(1), "");
    EXPECT_EQ(gap.before(100), "1-2,5-6,9");
}

TEST(lane_gap, a_delivery_forgets_what_it_announced_and_keeps_the_rest) {
    lane_gap gap = skipped({1, 2, 5});
    gap.moved(3, true, false, state::delivered);
    EXPECT_EQ(gap.text(), "5");
    EXPECT_EQ(gap.delivered(), 3);
    gap.moved(2, true, false, state::dead);
    EXPECT_EQ(gap.text(), "5");  // 3 was seen after it already
}

TEST(lane_gap, an_event_that_comes_back_is_no_gap) {
    lane_gap gap = skipped({4, 5, 6});
    gap.moved(5, false, true, state::pending);
    EXPECT_EQ(gap.text(), "4,6");
}

TEST(lane_gap, what_a_store_keeps_is_read_back) {
    const lane_gap gap = skipped({1, 3, 4, 8});
    EXPECT_EQ(lane_gap(gap.text(), gap.delivered()), gap);
    EXPECT_EQ(lane_gap("", 7).delivered(), 7);
}

TEST(lane_gap, stays_bounded) {
    lane_gap gap;
    for (int at = 1; at < 5000; at += 2) gap.moved(at, true, false, state::dead);
    EXPECT_LT(gap.text().size(), 4096u);
    EXPECT_NE(gap.text().find("4999"), std::string::npos);
}

}  // namespace
}  // namespace leasebox
