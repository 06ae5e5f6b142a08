// Real threads, a real clock, and everything cancelled all the time. Mostly for ThreadSanitizer.
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "leasebox/dispatcher.hpp"
#include "leasebox/testing/memory_store.hpp"
#include "leasebox/testing/scripted_sink.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

struct storm : ::testing::Test {
    storm() {
        options.attempt_timeout = 2ms;
        options.lease_margin = 20ms;
        options.lease = 200ms;
        options.retry = {1ms, 2ms};
        options.poll = 1ms;
        options.limits.attempts_max = 1'000'000;
    }
    asio::thread_pool pool{4};
    std::shared_ptr<store> events = std::make_shared<testing::memory_store>(system_clock());
    dispatcher_options options;
};

// Every second send hangs until its deadline cancels it, on four threads.
TEST_F(storm, sends_that_are_cancelled_on_four_threads_end_each_event_once) {
    auto sink = std::make_shared<testing::scripted_sink>();
    std::atomic<int> turn{0};
    auto uneven = make_sink([&](const claimed_event& event,
                                boot_time deadline) -> asio::awaitable<delivery> {
        if (turn++ % 2 == 0) sink->next(event.key.id, testing::sink_step::hangs());
        co_return co_await sink->deliver(event, deadline);
    });
    dispatcher worker(pool.get_executor(), events, options);
    destination_options how;
    how.adaptive = false;
    how.breaker.failure_percent = 100;  // every second send failing is meant here
    worker.serve("billing", uneven, how);
    std::future<void> ended = worker.async_run(asio::use_future);
    std::vector<std::future<receipt>> appended;
    for (int at = 0; at < 300; ++at) {
        appended.push_back(worker.async_append(draft("billing", "{}"), asio::use_future));
    }
    for (auto& each : appended) each.get();
    const auto limit = std::chrono::steady_clock::now() + 60s;
    // A flush completes when nothing is due; retries may still be to come.
    while (worker.async_flush(asio::use_future).wait_for(60s) == std::future_status::ready &&
           sink->calls().size() < 300 && std::chrono::steady_clock::now() < limit) {
    }
    worker.stop();
    ended.get();
    pool.join();
    EXPECT_GE(sink->calls().size(), 300u);
    EXPECT_EQ(events->stats().destinations["billing"].events[state::claimed], 0);
}

// Runs are started and cancelled from other threads than they run on, with appends in between.
TEST_F(storm, runs_that_are_cancelled_from_elsewhere_always_complete) {
    for (int round = 0; round < 40; ++round) {
        auto sink = std::make_shared<testing::scripted_sink>();
        sink->otherwise(testing::sink_step::hangs(outcome::released));
        auto worker =
            std::make_unique<dispatcher>(pool.get_executor(), events, options);
        worker->serve("billing", sink);
        std::promise<boost::system::error_code> ended;
        worker->async_run([&](boost::system::error_code ec) { ended.set_value(ec); });
        auto appended = worker->async_append(draft("billing", "{}"), asio::use_future);
        std::thread stopper([&] {
            if (round % 3 != 0) appended.wait();
            worker->stop(round % 2 == 0 ? stop_kind::hard : stop_kind::soft);
            worker->stop(stop_kind::hard);
        });
        EXPECT_FALSE(ended.get_future().get());
        stopper.join();
        worker.reset();
    }
    pool.join();
}

// Cancellation through the token's own slot, emitted on the strand where the coroutine runs.
TEST_F(storm, a_coroutine_that_runs_a_dispatcher_is_cancelled_like_any_other) {
    for (int round = 0; round < 40; ++round) {
        dispatcher worker(pool.get_executor(), events, options);
        const auto strand = asio::make_strand(pool.get_executor());
        asio::cancellation_signal signal;
        auto run = [&]() -> asio::awaitable<void> {
            co_await asio::this_coro::reset_cancellation_state(
                asio::enable_total_cancellation());
            co_await worker.async_run(asio::use_awaitable);
        };
        std::promise<std::exception_ptr> ended;
        asio::co_spawn(strand, run,
                       asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr failed) {
                           ended.set_value(failed);
                       }));
        asio::post(strand, [&] { signal.emit(asio::cancellation_type::terminal); });
        ended.get_future().get();
    }
    pool.join();
}

}  // namespace
}  // namespace leasebox
