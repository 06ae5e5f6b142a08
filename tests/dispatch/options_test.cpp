#include "dispatch/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string refusal(const dispatcher_options& options) {
    try {
        check(options);
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::invalid_option);
        return refused.sentence();
    }
    return "accepted";
}

TEST(options, the_defaults_are_accepted) { EXPECT_EQ(refusal({}), "accepted"); }

TEST(options, zero_is_no_way_to_say_infinite) {
    dispatcher_options options;
    options.in_flight = 0;
    EXPECT_EQ(refusal(options), "in_flight is 0; it must be from 1 to 10000");
}

TEST(options, a_lease_must_outlast_the_attempt_and_the_margin) {
    dispatcher_options options;
    options.lease = 22s;
    EXPECT_THAT(refusal(options), HasSubstr("lease is 22s; it must be longer than attempt_timeout"));
    options.lease = 22s + 1ms;
    EXPECT_EQ(refusal(options), "accepted");
}

TEST(options, a_backoff_that_shrinks_is_refused) {
    dispatcher_options options;
    options.retry = {10s, 5s};
    EXPECT_THAT(refusal(options), HasSubstr("backoff.first is 10s"));
}

TEST(options, an_owner_with_odd_characters_is_refused) {
    dispatcher_options options;
    options.owner = "api 1";
    EXPECT_THAT(refusal(options), HasSubstr("owner is \"api 1\""));
}

TEST(options, each_limit_is_finite_and_positive) {
    const auto refuses = [](auto&& change) {
        dispatcher_options options;
        change(options);
        return refusal(options) != "accepted";
    };
    EXPECT_TRUE(refuses([](auto& o) { o.claim_max = -1; }));
    EXPECT_TRUE(refuses([](auto& o) { o.attempt_timeout = 0ms; }));
    EXPECT_TRUE(refuses([](auto& o) { o.lease_margin = 0ms; }));
    EXPECT_TRUE(refuses([](auto& o) { o.drain = milliseconds::max(); }));
    EXPECT_TRUE(refuses([](auto& o) { o.limits.attempts_max = 0; }));
    EXPECT_TRUE(refuses([](auto& o) { o.limits.expiries_max = 0; }));
    EXPECT_TRUE(refuses([](auto& o) { o.limits.lifetime = 0ms; }));
    EXPECT_TRUE(refuses([](auto& o) { o.limits.renewals_max = 0; }));
    EXPECT_TRUE(refuses([](auto& o) { o.limits.lease_total_max = 1s; }));
    EXPECT_TRUE(refuses([](auto& o) { o.retry.first = 0ms; }));
    EXPECT_TRUE(refuses([](auto& o) { o.store_queue_max = 0; }));
    EXPECT_TRUE(refuses([](auto& o) { o.store_batch_max = 0; }));
    EXPECT_TRUE(refuses([](auto& o) { o.poll = 0ms; }));
}

TEST(options, a_destination_has_a_name_of_the_store) {
    EXPECT_THROW(check("a b", destination_options{}), error);
    EXPECT_NO_THROW(check("billing.eu:1", destination_options{}));
    EXPECT_THROW(check("billing", destination_options{0}), error);
}

std::string refusal_of(const destination_options& how) {
    try {
        check("billing", how);
    } catch (const error& refused) {
        return refused.sentence();
    }
    return "accepted";
}

TEST(options, a_destinations_flow_stays_inside_its_ranges) {
    destination_options how;
    how.rate = send_rate{0, 1s};
    EXPECT_EQ(refusal_of(how), "rate.count is 0; it must be from 1 to 1000000");
    how.rate = send_rate{1, 24h};
    EXPECT_EQ(refusal_of(how), "rate.per is 1d; it must be from 1s to 1h");
    how.rate = send_rate{1, 1h};
    how.breaker.failure_percent = 0;
    EXPECT_EQ(refusal_of(how), "breaker.failure_percent is 0; it must be from 1 to 100");
    how.breaker.failure_percent = 100;
    how.breaker.open_first = 2min;
    EXPECT_EQ(refusal_of(how), "breaker.open_first is 2m; it must be at most breaker.open_max (1m)");
    how.breaker.open_max = 2min;
    EXPECT_EQ(refusal_of(how), "accepted");
}

TEST(options, two_starts_under_one_name_are_two_owners) {
    EXPECT_NE(unique_owner("api-1"), unique_owner("api-1"));
    EXPECT_THAT(unique_owner("api-1"), testing::StartsWith("api-1#"));
}

}  // namespace
}  // namespace leasebox::dispatch
