#include "fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

namespace leasebox {
namespace {

TEST_F(dispatching, a_soft_stop_claims_nothing_more_and_lets_sends_finish) {
    options.in_flight = 1;
    sink->next(sink_step::hangs(outcome::delivered));
    const std::string running = append();
    const std::string waiting = append();
    start();
    worker->stop(stop_kind::soft);
    run_until_idle(context);
    EXPECT_FALSE(ended);
    pass(options.drain + 1ms);
    EXPECT_EQ(ended, boost::system::error_code{});
    EXPECT_EQ(state_of(running), state::delivered);
    EXPECT_EQ(state_of(waiting), state::pending);
    EXPECT_EQ(status(waiting).row.attempts, 0);
    EXPECT_TRUE(sink->closed());
}

TEST_F(dispatching, a_hard_stop_releases_what_was_not_sent_and_burns_no_attempt) {
    sink->otherwise(sink_step::hangs(outcome::released));
    const std::string id = append();
    start();
    worker->stop(stop_kind::hard);
    run_until_idle(context);
    EXPECT_EQ(ended, boost::system::error_code{});
    EXPECT_EQ(state_of(id), state::pending);
    EXPECT_EQ(status(id).row.attempts, 0);
}

TEST_F(dispatching, a_stop_does_not_lose_the_result_of_a_delivery_that_happened) {
    // The store fails just when the answer is in; the stop waits until it is written down.
    const std::string id = append();
    events->only_acks = true;
    events->failing = true;
    start();
    EXPECT_EQ(sink->calls_of(id), 1u);
    worker->stop(stop_kind::soft);
    pass(1s);
    EXPECT_FALSE(ended);
    events->failing = false;
    pass(2s);
    EXPECT_EQ(ended, boost::system::error_code{});
    EXPECT_EQ(state_of(id), state::delivered);
}

TEST_F(dispatching, a_hard_stop_on_a_dead_store_ends_all_the_same) {
    append();
    events->only_acks = true;
    events->failing = true;
    start();
    worker->stop(stop_kind::hard);
    pass(options.lease_margin + 2s);
    EXPECT_EQ(ended, boost::system::error_code{});
}

TEST_F(dispatching, a_stop_before_the_start_ends_the_run_at_once) {
    append();
    worker = std::make_unique<dispatcher>(context.get_executor(), events, options, watcher, clock);
    worker->serve("billing", sink, how);
    worker->stop();
    worker->async_run([this](boost::system::error_code ec) { ended = ec; });
    run_until_idle(context);
    EXPECT_EQ(ended, boost::system::error_code{});
    EXPECT_TRUE(sink->calls().empty());
}

TEST_F(dispatching, a_second_run_is_refused) {
    start();
    boost::system::error_code second;
    worker->async_run([&](boost::system::error_code ec) { second = ec; });
    run_until_idle(context);
    EXPECT_EQ(second, errc::already_running);
    EXPECT_FALSE(ended);
}

TEST_F(dispatching, cancelling_the_run_stops_it) {
    boost::asio::cancellation_signal signal;
    worker = std::make_unique<dispatcher>(context.get_executor(), events, options, watcher, clock);
    worker->serve("billing", sink, how);
    worker->async_run(boost::asio::bind_cancellation_slot(
        signal.slot(), [this](boost::system::error_code ec) { ended = ec; }));
    run_until_idle(context);
    EXPECT_FALSE(ended);
    signal.emit(boost::asio::cancellation_type::terminal);
    run_until_idle(context);
    EXPECT_EQ(ended, boost::system::error_code{});
}

TEST_F(dispatching, destroying_it_completes_what_waits) {
    sink->otherwise(sink_step::hangs(outcome::released));
    const std::string id = append();
    start();
    std::optional<boost::system::error_code> flushed;
    worker->async_flush([&](boost::system::error_code ec) { flushed = ec; });
    worker.reset();
    run_until_idle(context);
    EXPECT_EQ(ended, boost::system::error_code{});
    EXPECT_EQ(flushed, errc::stopped);
}

TEST_F(dispatching, until_idle_ends_by_itself_when_nothing_can_move) {
    options.until_idle = true;
    options.retry = {1s, 1s};
    const std::string id = append();
    append(draft("nowhere", "{}"));
    sink->next(sink_step::says(outcome::retry));
    start();
    EXPECT_FALSE(ended);
    pass(2s);
    EXPECT_EQ(ended, boost::system::error_code{});
    EXPECT_EQ(state_of(id), state::delivered);
}

TEST_F(dispatching, a_flush_completes_when_nothing_is_due_or_in_flight) {
    options.in_flight = 1;
    sink->next(sink_step::hangs(outcome::delivered));
    append();
    append();
    start();
    std::optional<boost::system::error_code> flushed;
    worker->async_flush([&](boost::system::error_code ec) { flushed = ec; });
    run_until_idle(context);
    EXPECT_FALSE(flushed);
    pass(options.attempt_timeout + 1ms);
    EXPECT_EQ(flushed, boost::system::error_code{});
    EXPECT_EQ(sink->calls().size(), 2u);
}

TEST_F(dispatching, operations_after_the_end_fail_as_stopped) {
    start();
    worker->stop();
    run_until_idle(context);
    boost::system::error_code appended;
    boost::system::error_code flushed;
    worker->async_append(draft("billing", "{}"),
                         [&](boost::system::error_code ec, const receipt&) { appended = ec; });
    worker->async_flush([&](boost::system::error_code ec) { flushed = ec; });
    run_until_idle(context);
    EXPECT_EQ(appended, errc::stopped);
    EXPECT_EQ(flushed, errc::stopped);
}

}  // namespace
}  // namespace leasebox
