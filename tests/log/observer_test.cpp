#include "leasebox/log/observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <boost/json/parse.hpp>
#include <sstream>

namespace leasebox::log {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string written(style how, const record& what) {
    std::ostringstream out;
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(out);
    auto logger = std::make_shared<spdlog::logger>("test", sink);
    logger->set_level(spdlog::level::debug);
    if (how == style::json) {
        logger->set_formatter(make_json_formatter());
    } else {
        logger->set_pattern("%v");
    }
    make_observer(logger, how)->on(what);
    return out.str();
}

record about_event() {
    record what;
    what.what = occurrence::acknowledged;
    what.level = severity::warning;
    what.event = "e1";
    what.destination = "billing";
    what.generation = 7;
    what.attempt = 2;
    what.result = outcome::retry;
    what.answer = verdict::accepted;
    what.http_status = 503;
    what.detail = "HTTP 503";
    return what;
}

TEST(log_observer, a_json_line_about_an_event_names_it_wholly) {
    const std::string line = written(style::json, about_event());
    const auto parsed = boost::json::parse(line).as_object();
    EXPECT_EQ(parsed.at("msg"), "attempt ended");
    EXPECT_EQ(parsed.at("level"), "warning");
    EXPECT_EQ(parsed.at("id"), "e1");
    EXPECT_EQ(parsed.at("destination"), "billing");
    EXPECT_EQ(parsed.at("generation"), 7);
    EXPECT_EQ(parsed.at("attempt"), 2);
    EXPECT_EQ(parsed.at("outcome"), "retry");
    EXPECT_EQ(parsed.at("verdict"), "accepted");
    EXPECT_EQ(parsed.at("status"), 503);
    EXPECT_EQ(parsed.at("error"), "HTTP 503");
    EXPECT_THAT(std::string(parsed.at("ts").as_string()),
                testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
}

TEST(log_observer, a_text_line_has_the_same_fields) {
    EXPECT_THAT(written(style::text, about_event()),
                HasSubstr("attempt ended id=e1 destination=billing generation=7 attempt=2"));
}

TEST(log_observer, text_from_outside_can_neither_end_a_line_nor_colour_it) {
    record what = about_event();
    what.detail = "a\nb\x1b[31m\"\xff";
    const std::string line = written(style::json, what);
    EXPECT_EQ(boost::json::parse(line).as_object().at("error"), "a b [31m\"?");
    const std::string text = written(style::text, what);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(log_observer, a_line_about_no_event_has_no_empty_fields) {
    record what;
    what.what = occurrence::committed;
    what.level = severity::debug;
    EXPECT_THAT(written(style::json, what), Not(HasSubstr("generation")));
}

}  // namespace
}  // namespace leasebox::log
