#include <gtest/gtest.h>

#include "leasebox/core/flow.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;

TEST(rate, is_a_count_a_second_a_minute_or_an_hour) {
    EXPECT_EQ(parse_rate("100/s"), (send_rate{100, 1s}));
    EXPECT_EQ(parse_rate("30/m"), (send_rate{30, 1min}));
    EXPECT_EQ(parse_rate("1/h"), (send_rate{1, 1h}));
    EXPECT_EQ(parse_rate("1000000/s"), (send_rate{1'000'000, 1s}));
}

TEST(rate, anything_else_is_no_rate) {
    for (const char* text : {"", "/", "100", "/s", "100/", "0/s", "-1/s", "+1/s", "1.5/s", "1 /s",
                             "1/ s", "1/d", "1/sec", "1/s/s", "1000001/s", "99999999999/s"}) {
        EXPECT_EQ(parse_rate(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace leasebox
