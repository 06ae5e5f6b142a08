#include "http/classify.hpp"

#include <gtest/gtest.h>

#include "http/retry_after.hpp"

namespace leasebox::http {
namespace {

using namespace std::chrono_literals;

constexpr store_time now = from_ms(1'614'265'330'000);  // Thu, 25 Feb 2021 15:02:10 GMT

delivery answered(int status, std::string retry_after = {},
                  const std::vector<int>& reject_statuses = {}) {
    progress end;
    end.reached = phase::written;
    end.status = status;
    end.retry_after = std::move(retry_after);
    return classify(end, reject_statuses, now);
}

delivery unanswered(phase reached, bool exhausted = false, bool stopped = false) {
    progress end;
    end.reached = reached;
    end.trouble = "trouble";
    end.exhausted = exhausted;
    end.stopped = stopped;
    return classify(end, {}, now);
}

TEST(classify, each_status_has_its_outcome) {
    for (const int status : {200, 201, 202, 204, 226, 299}) {
        EXPECT_EQ(answered(status).what.result, outcome::delivered) << status;
    }
    for (const int status :
         {300, 301, 302, 303, 304, 307, 308, 399, 400, 401, 403, 404, 405, 408,
          409, 418, 421, 422, 425, 429, 499, 500, 502, 503, 504, 599, 600, 999}) {
        EXPECT_EQ(answered(status).what.result, outcome::retry) << status;
    }
    for (const int status : {410, 413}) {
        EXPECT_EQ(answered(status).what.result, outcome::rejected) << status;
    }
}

TEST(classify, an_answer_is_reported_with_its_status) {
    const delivery said = answered(503);
    EXPECT_EQ(said.what.http_status, 503);
    EXPECT_EQ(said.what.reached, phase::answered);
    EXPECT_EQ(said.what.detail, "HTTP 503");
}

TEST(classify, listed_statuses_are_rejected) {
    EXPECT_EQ(answered(422, "", {400, 422}).what.result, outcome::rejected);
    EXPECT_EQ(answered(404, "", {400, 422}).what.result, outcome::retry);
    EXPECT_EQ(answered(503, "3", {503}).what.result, outcome::rejected);
    EXPECT_FALSE(answered(503, "3", {503}).hold_destination);
}

TEST(classify, a_conflict_is_soon_and_gone_is_gone) {
    EXPECT_TRUE(answered(409).soon);
    EXPECT_FALSE(answered(409, "", {409}).soon);
    EXPECT_TRUE(answered(410).gone);
    EXPECT_TRUE(answered(410, "", {410}).gone);
    EXPECT_FALSE(answered(404).soon);
    EXPECT_FALSE(answered(404).gone);
}

TEST(classify, only_throttling_with_a_wish_holds_the_destination) {
    EXPECT_TRUE(answered(429, "3").hold_destination);
    EXPECT_TRUE(answered(503, "3").hold_destination);
    EXPECT_FALSE(answered(429).hold_destination);
    EXPECT_FALSE(answered(503, "soon").hold_destination);
    EXPECT_FALSE(answered(500, "3").hold_destination);
    EXPECT_EQ(answered(500, "3").retry_after, 3s);
    EXPECT_EQ(answered(200, "3").retry_after, std::nullopt);
}

TEST(classify, a_redirect_names_the_host_it_points_to_and_no_more) {
    progress end;
    end.status = 302;
    end.location = "https://other.example/secret?token=x";
    EXPECT_EQ(classify(end, {}, now).what.detail,
              "HTTP 302: redirects are not followed (to other.example)");
    for (const char* odd : {"", "/path", "::", "\x01", "http://["}) {
        end.location = odd;
        EXPECT_EQ(classify(end, {}, now).what.detail, "HTTP 302: redirects are not followed");
    }
}

TEST(classify, the_excerpt_is_cleaned_and_left_out_of_success) {
    progress end;
    end.status = 500;
    end.excerpt = "a\x1b[31m\nb\xff";
    EXPECT_EQ(classify(end, {}, now).what.detail, "HTTP 500: a [31m b?");
    end.status = 200;
    EXPECT_EQ(classify(end, {}, now).what.detail, "HTTP 200");
}

TEST(classify, without_an_answer_the_phase_decides) {
    EXPECT_EQ(unanswered(phase::not_started).what.result, outcome::retry);
    EXPECT_EQ(unanswered(phase::connecting).what.result, outcome::retry);
    EXPECT_EQ(unanswered(phase::writing).what.result, outcome::uncertain);
    EXPECT_EQ(unanswered(phase::written).what.result, outcome::uncertain);
    EXPECT_EQ(unanswered(phase::written).what.detail, "trouble");
    EXPECT_EQ(unanswered(phase::written).what.reached, phase::written);
}

TEST(classify, what_is_no_fault_of_the_consumer_is_released_before_the_first_byte_only) {
    EXPECT_EQ(unanswered(phase::connecting, true).what.result, outcome::released);
    EXPECT_EQ(unanswered(phase::connecting, false, true).what.result, outcome::released);
    EXPECT_EQ(unanswered(phase::writing, true).what.result, outcome::uncertain);
    EXPECT_EQ(unanswered(phase::written, false, true).what.result, outcome::uncertain);
}

TEST(classify, an_unsendable_event_is_rejected) {
    progress end;
    end.unsendable = true;
    EXPECT_EQ(classify(end, {}, now).what.result, outcome::rejected);
}

TEST(retry_after, forms_that_are_understood) {
    for (const auto& [text, wish] : std::initializer_list<std::pair<const char*, milliseconds>>{
             {"0", 0ms},
             {"120", 120s},
             {" 5\t", 5s},
             {"1.5", 1500ms},
             {"0.0001", 1ms},
             {"2.0000", 2s},
             {"1800000", 1800000s},
             {"9999999999", 8760h},
             {"99999999999999999999999999", 8760h},
             {"Thu, 25 Feb 2021 15:03:10 GMT", 60s},
             {"Thursday, 25-Feb-21 15:03:10 GMT", 60s},
             {"Thu Feb 25 15:03:10 2021", 60s},
             {"Mon Mar  1 15:02:10 2021", 96h},
             {"Thu, 25 Feb 2021 15:01:10 GMT", 0ms},
             {"Sunday, 06-Nov-94 08:49:37 GMT", 0ms},
             {"Fri, 31 Dec 9999 23:59:59 GMT", 8760h}}) {
        EXPECT_EQ(parse_retry_after(text, now), wish) << text;
    }
}

TEST(retry_after, anything_else_is_no_wish) {
    for (const char* bad : {"",
                            " ",
                            "-1",
                            "+1",
                            "1e3",
                            "0x10",
                            "1.",
                            ".5",
                            "1.5.5",
                            "1 s",
                            "soon",
                            "1,5",
                            "NaN",
                            "inf",
                            "Thu, 25 Feb 2021 15:03:10",
                            "Thu, 25 Feb 2021 25:03:10 GMT",
                            "Thu, 31 Feb 2021 15:03:10 GMT",
                            "Thu, 25 Foo 2021 15:03:10 GMT",
                            "Thu, 25 Feb 20211 15:03:10 GMT",
                            "GMT GMT GMT GMT GMT GMT",
                            "Thu, 99999999999 Feb 2021 15:03:10 GMT",
                            "Thu, 0 Feb 2021 15:03:10 GMT"}) {
        EXPECT_EQ(parse_retry_after(bad, now), std::nullopt) << bad;
    }
}

}  // namespace
}  // namespace leasebox::http
