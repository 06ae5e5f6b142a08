#include "leasebox/core/text.hpp"

#include <gtest/gtest.h>

namespace leasebox {
namespace {

using namespace std::string_literals;

struct cleaning {
    const char* situation;
    std::string from;
    std::string to;
};

TEST(clean_detail, what_came_from_outside_is_made_fit_to_be_shown) {
    const cleaning cases[] = {
        {"nothing", "", ""},
        {"plain text", "503 Service Unavailable", "503 Service Unavailable"},
        {"Unicode", "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80",
         "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
        {"the last character", "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
        {"line breaks and tabs", "a\r\n\tb", "a   b"},
        {"a terminal's escape", "\x1B[31mred", " [31mred"},
        {"NUL", "a\0b"s, "a b"},
        {"DEL",
         "a\x7F"
         "b",
         "a b"},
        {"a C1 control",
         "a\xC2\x9B"
         "b",
         "a b"},
        {"the first after the C1 controls", "\xC2\xA0", "\xC2\xA0"},
        {"a lone continuation",
         "a\x80"
         "b",
         "a?b"},
        {"a cut sequence at the end", "a\xE2\x82", "a??"},
        {"a cut sequence in between", "\xE2\x82z", "??z"},
        {"an overlong slash", "\xC0\xAF", "??"},
        {"an overlong NUL of three bytes", "\xE0\x80\x80", "???"},
        {"an overlong sequence of four bytes", "\xF0\x80\x80\xAF", "????"},
        {"a surrogate", "\xED\xA0\x80", "???"},
        {"beyond Unicode", "\xF4\x90\x80\x80", "????"},
        {"bytes that are never used", "\xFE\xFF\xF5", "???"},
    };
    for (const cleaning& each : cases)
        EXPECT_EQ(clean_detail(each.from), each.to) << each.situation;
}

TEST(clean_detail, long_text_is_cut_at_a_characters_border) {
    EXPECT_EQ(clean_detail(std::string(5000, 'x')), std::string(detail_bytes_max, 'x'));
    EXPECT_EQ(clean_detail(std::string(detail_bytes_max, 'x')).size(), detail_bytes_max);
    const std::string almost(detail_bytes_max - 1, 'x');
    EXPECT_EQ(clean_detail(almost + "\xC3\xA9"), almost);
    EXPECT_EQ(clean_detail(almost + "\xE2\x82\xAC"
                                    "z"),
              almost);
    EXPECT_EQ(clean_detail(almost + "yz"), almost + "y");
}

TEST(clean_detail, what_is_clean_stays_as_it_is) {
    const std::string once = clean_detail("\x01 caf\xC3\xA9 \xFF" + std::string(2000, 'x'));
    EXPECT_EQ(clean_detail(once), once);
    EXPECT_TRUE(is_text(once));
}

TEST(is_text, it_is_valid_unicode_without_nul) {
    EXPECT_TRUE(is_text(""));
    EXPECT_TRUE(is_text("{\"n\":1}\r\n"));
    EXPECT_TRUE(is_text("caf\xC3\xA9 \xF0\x9F\x98\x80"));
    EXPECT_FALSE(is_text("a\0b"s));
    EXPECT_FALSE(is_text("\xFF"));
    EXPECT_FALSE(is_text("a\xC3"));
    EXPECT_FALSE(is_text("\xED\xA0\x80"));
    EXPECT_FALSE(is_text("\xC0\x80"));
}

}  // namespace
}  // namespace leasebox
