// The flow of destinations, through the real dispatcher, with a moved clock.
#include "fixture.hpp"

namespace leasebox {
namespace {

struct controlling : dispatching {
    controlling() {
        options.attempt_timeout = 5s;
        options.retry = {1s, 1min};
        options.limits.attempts_max = 1000;
        options.in_flight = 64;
        options.claim_max = 64;
    }
    static sink_step busy(milliseconds retry_after) {
        delivery said(outcome::retry, "HTTP 503");
        said.what.http_status = 503;
        said.retry_after = retry_after;
        said.hold_destination = true;
        return sink_step::says(said);
    }
    static sink_step gone() {
        delivery said(outcome::rejected, "HTTP 410");
        said.what.http_status = 410;
        said.gone = true;
        return sink_step::says(said);
    }
    void append_many(int count, const std::string& destination = "billing") {
        for (int at = 0; at < count; ++at) append(draft(destination, "{}"));
    }
    std::shared_ptr<scripted_sink> serve_other(const std::string& name) {
        auto other = std::make_shared<scripted_sink>();
        worker->serve(name, other, {});
        run_until_idle(context);
        return other;
    }
    std::size_t sent() const { return sink->calls().size(); }
    destination_status billing() const { return worker->destinations().at("billing"); }
    int delivered() const {
        return static_cast<int>(inner->stats().destinations["billing"].events[state::delivered]);
    }
    // Calls in each second that passes.
    std::vector<std::size_t> seconds(int count) {
        std::vector<std::size_t> counts;
        for (int at = 0; at < count; ++at) {
            const std::size_t before = sent();
            pass(1s);
            counts.push_back(sent() - before);
        }
        return counts;
    }
};

TEST_F(controlling, a_destination_that_hangs_does_not_slow_the_others) {
    sink->otherwise(sink_step::hangs());
    append_many(1000);
    start();
    const auto mail = serve_other("mail");
    for (int minute = 0; minute < 5; ++minute) {
        append_many(100, "mail");
        tell();
        EXPECT_EQ(mail->calls().size(), 100u * static_cast<std::size_t>(minute + 1));
        pass(1min);
    }
    EXPECT_EQ(sink->in_flight_most(), 16);
    EXPECT_LE(billing().limit, 4);
}

TEST_F(controlling, an_open_circuit_spends_no_attempts) {
    sink->otherwise(sink_step::says(outcome::retry, "refused"));
    append_many(200);
    start();
    EXPECT_EQ(billing().circuit, circuit_state::open);
    EXPECT_EQ(watcher->count(occurrence::circuit_opened), 1);
    pass(1h);
    // One probe in each half a minute to a minute, after those of the growth.
    EXPECT_LE(sent(), 16u + 6u + 120u);
    EXPECT_GE(sent(), 16u + 60u);
    EXPECT_EQ(watcher->count(occurrence::circuit_opened), 1);
    EXPECT_EQ(watcher->count(occurrence::circuit_closed), 0);
    EXPECT_EQ(inner->stats().destinations["billing"].events[state::dead], 0);
}

TEST_F(controlling, one_that_comes_back_is_probed_with_one_event_and_not_run_over) {
    sink->otherwise(sink_step::says(outcome::retry, "refused"));
    append_many(1000);
    start();
    pass(10min);
    ASSERT_EQ(billing().circuit == circuit_state::closed, false);
    sink->otherwise(sink_step::says(outcome::delivered));
    for (int waited = 0; delivered() == 0 && waited < 70'000; ++waited) pass(1ms);
    EXPECT_LE(delivered(), 2);
    EXPECT_EQ(billing().circuit, circuit_state::closed);
    EXPECT_EQ(watcher->count(occurrence::circuit_closed), 1);
    const std::vector<std::size_t> grown = seconds(12);
    for (std::size_t at = 0; at < grown.size(); ++at) EXPECT_LE(grown[at], 2u << at) << at;
    EXPECT_EQ(delivered(), 1000);
}

TEST_F(controlling, a_probe_that_hangs_is_alone) {
    sink->otherwise(sink_step::says(outcome::retry, "refused"));
    append_many(100);
    start();
    sink->otherwise(sink_step::hangs());
    pass(1s);
    EXPECT_EQ(billing().circuit, circuit_state::half_open);
    EXPECT_EQ(billing().in_flight, 1);
    pass(4s);
    EXPECT_EQ(sink->in_flight(), 1);
}

TEST_F(controlling, the_rate_is_kept_over_a_minute) {
    how.rate = send_rate{60, 1min};
    append_many(1000);
    start();
    EXPECT_EQ(sent(), 1u);
    pass(1min);
    EXPECT_NEAR(static_cast<double>(sent()), 60, 1);
    pass(1min);
    EXPECT_NEAR(static_cast<double>(sent()), 120, 1);
}

TEST_F(controlling, a_high_rate_is_kept_beside_its_burst) {
    how.rate = send_rate{10, 1s};
    append_many(1000);
    start();
    EXPECT_EQ(sent(), 10u);
    pass(1min);
    EXPECT_NEAR(static_cast<double>(sent()), 610, 1);
}

TEST_F(controlling, a_flush_waits_for_what_only_its_rate_keeps_back) {
    how.rate = send_rate{1, 1s};
    append_many(3);
    start();
    bool flushed = false;
    worker->async_flush([&](boost::system::error_code) { flushed = true; });
    pass(1s);
    EXPECT_FALSE(flushed);
    pass(3s);
    EXPECT_TRUE(flushed);
    EXPECT_EQ(delivered(), 3);
}

TEST_F(controlling, a_run_until_idle_ends_behind_a_rate) {
    how.rate = send_rate{1, 1s};
    options.until_idle = true;
    append_many(3);
    start();
    pass(10s);
    EXPECT_TRUE(ended);
    EXPECT_EQ(delivered(), 3);
}

TEST_F(controlling, a_wish_without_end_holds_for_the_longest_backoff) {
    sink->next(busy(milliseconds::max()));
    how.in_flight = 1;
    append_many(5);
    start();
    EXPECT_TRUE(billing().held);
    EXPECT_EQ(billing().circuit, circuit_state::closed);
    pass(59s);
    EXPECT_EQ(sent(), 1u);
    pass(1min);
    EXPECT_EQ(delivered(), 5);
}

TEST_F(controlling, a_wish_of_zero_is_no_hot_loop) {
    sink->otherwise(busy(0ms));
    append();
    start();
    const int before = events->commits;
    pass(10min);
    EXPECT_LT(sent(), 60u);
    EXPECT_LT(events->commits - before, 300);
}

TEST_F(controlling, a_retry_that_falls_into_a_hold_is_sent_after_it) {
    const std::string early = append();
    sink->next(early, sink_step::says(outcome::retry));
    start();
    const std::string held = append();
    sink->next(held, busy(30s));
    tell();
    pass(29s);
    EXPECT_EQ(sent(), 2u);
    pass(31s);
    EXPECT_EQ(state_of(early), state::delivered);
    EXPECT_EQ(state_of(held), state::delivered);
}

TEST_F(controlling, what_is_appended_during_a_hold_is_sent_after_it_beside_others) {
    sink->next(busy(10s));
    append();
    start();
    const auto mail = serve_other("mail");
    append();
    append(draft("mail", "{}"));
    tell();
    EXPECT_EQ(mail->calls().size(), 1u);
    EXPECT_EQ(sent(), 1u);
    pass(12s);
    EXPECT_EQ(delivered(), 2);  // before the lease of the other's event makes it look
}

TEST_F(controlling, what_is_appended_while_the_limit_is_shrunk_is_not_forgotten) {
    how.in_flight = 4;
    how.breaker.failure_percent = 100;
    std::vector<std::string> ids;
    for (int at = 0; at < 4; ++at) ids.push_back(append());
    for (const std::string& id : ids) sink->next(id, sink_step::hangs());
    start();
    pass(4s);
    append_many(10);
    tell();
    pass(3min);
    EXPECT_EQ(delivered(), 14);
}

TEST_F(controlling, one_that_is_gone_keeps_its_backlog) {
    how.in_flight = 2;
    sink->otherwise(gone());
    append_many(100);
    start();
    const auto mail = serve_other("mail");
    append_many(3, "mail");
    tell();
    pass(48h);
    EXPECT_EQ(inner->stats().destinations["billing"].events[state::dead], 2);
    EXPECT_EQ(inner->stats().destinations["billing"].events[state::pending], 98);
    EXPECT_EQ(watcher->count(occurrence::destination_paused), 1);
    EXPECT_TRUE(inner->stats().destinations["billing"].paused);
    EXPECT_EQ(mail->calls().size(), 3u);
}

TEST_F(controlling, one_that_is_gone_goes_on_once_it_is_resumed_in_the_store) {
    how.in_flight = 1;
    sink->next(gone());
    append_many(5);
    start();
    EXPECT_EQ(delivered(), 0);
    EXPECT_TRUE(inner->stats().destinations["billing"].paused);
    worker->serve("billing", sink, how);
    pass(1min);
    EXPECT_EQ(delivered(), 0);
    const std::vector<operation> resume{pause_request{"billing", false}};
    inner->commit(resume);
    tell();
    EXPECT_EQ(delivered(), 4);
}

TEST_F(controlling, where_it_is_wanted_all_of_one_that_is_gone_is_rejected) {
    how.gone = on_gone::reject;
    sink->otherwise(gone());
    append_many(100);
    start();
    EXPECT_EQ(inner->stats().destinations["billing"].events[state::dead], 100);
    EXPECT_EQ(watcher->count(occurrence::destination_paused), 0);
}

TEST_F(controlling, a_run_until_idle_ends_where_all_is_paused) {
    options.until_idle = true;
    how.in_flight = 1;
    sink->otherwise(gone());
    append_many(5);
    start();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace leasebox
