#include <gtest/gtest.h>

#include <limits>

#include "leasebox/core/time.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;

TEST(duration, each_unit_is_read) {
    EXPECT_EQ(parse_duration("200ms"), 200ms);
    EXPECT_EQ(parse_duration("30s"), 30s);
    EXPECT_EQ(parse_duration("5m"), 5min);
    EXPECT_EQ(parse_duration("24h"), 24h);
    EXPECT_EQ(parse_duration("7d"), 24h * 7);
    EXPECT_EQ(parse_duration("1ms"), 1ms);
    EXPECT_EQ(parse_duration("3653d"), 24h * 3653);
}

TEST(duration, anything_else_is_refused) {
    for (const std::string_view text : {"",
                                        " ",
                                        "30",
                                        "s",
                                        "0s",
                                        "-1s",
                                        "+1s",
                                        " 1s",
                                        "1 s",
                                        "1s ",
                                        "1.5s",
                                        "1e3s",
                                        "1S",
                                        "1sec",
                                        "1w",
                                        "inf",
                                        "1h30m",
                                        "0x1s",
                                        "99999999999999999999s",
                                        "9223372036854775807s",
                                        "9223372036854775807ms",
                                        "3654d",
                                        "1\n",
                                        "ms"}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << '"' << text << '"';
    }
}

TEST(duration, what_is_formatted_is_read_back) {
    for (const milliseconds each :
         {milliseconds(1ms), milliseconds(999ms), milliseconds(1s), milliseconds(90s),
          milliseconds(5min), milliseconds(36h), milliseconds(24h * 7), milliseconds(1001ms)}) {
        EXPECT_EQ(parse_duration(format_duration(each)), each) << each.count();
    }
}

TEST(duration, it_is_formatted_in_its_longest_whole_unit) {
    EXPECT_EQ(format_duration(90s), "90s");
    EXPECT_EQ(format_duration(120s), "2m");
    EXPECT_EQ(format_duration(36h), "36h");
    EXPECT_EQ(format_duration(48h), "2d");
    EXPECT_EQ(format_duration(1500ms), "1500ms");
    EXPECT_EQ(format_duration(0ms), "0ms");
}

TEST(later, it_adds_and_never_overflows) {
    const store_time at = from_ms(1'000);
    EXPECT_EQ(later(at, 5ms), from_ms(1'005));
    EXPECT_EQ(later(at, 0ms), at);
    EXPECT_EQ(later(at, milliseconds::max()), store_time_max);
    EXPECT_EQ(later(store_time_max, 1ms), store_time_max);
    EXPECT_EQ(later(store_time_max, milliseconds::max()), store_time_max);
}

TEST(later, a_negative_delay_counts_as_none) {
    EXPECT_EQ(later(from_ms(1'000), -5ms), from_ms(1'000));
    EXPECT_EQ(later(from_ms(1'000), milliseconds::min()), from_ms(1'000));
}

TEST(later, the_last_instant_is_the_end_of_the_year_9999) {
    EXPECT_EQ(to_ms(store_time_max), 253'402'300'799'999);
}

}  // namespace
}  // namespace leasebox
