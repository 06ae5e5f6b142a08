#include "leasebox/testing/manual_clock.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

namespace leasebox::testing {
namespace {

using namespace std::chrono_literals;

class manual_clock_test : public ::testing::Test {
protected:
    manual_clock time;
    boost::asio::io_context io;
    std::string fired;
};

TEST_F(manual_clock_test, wall_and_boot_go_on_together) {
    const clock_reading before = time.read();
    time.advance(5s);
    EXPECT_EQ(time.read().wall, before.wall + 5s);
    EXPECT_EQ(time.now(), before.boot + 5s);
    EXPECT_EQ(time.read().boot_id, before.boot_id);
}

TEST_F(manual_clock_test, a_step_moves_the_wall_alone) {
    const clock_reading before = time.read();
    time.step_wall(-24h);
    EXPECT_EQ(time.read().wall, before.wall - 24h);
    EXPECT_EQ(time.now(), before.boot);
}

TEST_F(manual_clock_test, a_reboot_begins_another_boot_time) {
    const clock_reading before = time.read();
    time.reboot();
    const clock_reading after = time.read();
    EXPECT_NE(after.boot_id, before.boot_id);
    EXPECT_LT(after.boot, before.boot);
    EXPECT_EQ(after.wall, before.wall);
}

TEST_F(manual_clock_test, timers_fire_in_the_order_of_their_times) {
    const auto late = time.make_timer(io.get_executor());
    const auto early = time.make_timer(io.get_executor());
    late->arm(time.now() + 2s, [&] { fired += "late "; });
    early->arm(time.now() + 1s, [&] { fired += "early "; });
    EXPECT_EQ(time.next_timer(), time.now() + 1s);
    time.advance(2s);
    EXPECT_EQ(fired, "") << "it is posted, not called";
    io.poll();
    EXPECT_EQ(fired, "early late ");
    EXPECT_EQ(time.next_timer(), std::nullopt);
}

TEST_F(manual_clock_test, a_timer_does_not_fire_before_its_time) {
    const auto timer = time.make_timer(io.get_executor());
    timer->arm(time.now() + 1s, [&] { fired += "fired"; });
    time.advance(999ms);
    io.poll();
    EXPECT_EQ(fired, "");
    time.advance(1ms);
    io.poll();
    EXPECT_EQ(fired, "fired");
}

TEST_F(manual_clock_test, a_time_that_has_passed_fires_but_never_from_inside_arm) {
    const auto timer = time.make_timer(io.get_executor());
    timer->arm(time.now(), [&] { fired += "fired"; });
    EXPECT_EQ(fired, "");
    io.poll();
    EXPECT_EQ(fired, "fired");
}

TEST_F(manual_clock_test, a_cancelled_timer_does_not_fire_even_where_it_was_posted) {
    const auto timer = time.make_timer(io.get_executor());
    timer->arm(time.now() + 1s, [&] { fired += "fired"; });
    time.advance(1s);
    timer->cancel();
    io.poll();
    EXPECT_EQ(fired, "");
}

TEST_F(manual_clock_test, a_new_arm_replaces_the_old_one) {
    const auto timer = time.make_timer(io.get_executor());
    timer->arm(time.now() + 1s, [&] { fired += "old"; });
    timer->arm(time.now() + 2s, [&] { fired += "new"; });
    time.advance(10s);
    io.poll();
    EXPECT_EQ(fired, "new");
}

TEST_F(manual_clock_test, a_timer_that_is_gone_does_not_fire) {
    time.make_timer(io.get_executor())->arm(time.now() + 1s, [&] { fired += "fired"; });
    EXPECT_EQ(time.next_timer(), std::nullopt);
    time.advance(1s);
    io.poll();
    EXPECT_EQ(fired, "");
}

TEST_F(manual_clock_test, a_timer_may_be_armed_again_by_what_it_calls) {
    const auto timer = time.make_timer(io.get_executor());
    timer->arm(time.now() + 1s, [&] {
        fired += "first ";
        timer->arm(time.now() + 1s, [&] { fired += "second"; });
    });
    for (int second = 0; second < 2; ++second) {
        time.advance(1s);
        io.poll();
    }
    EXPECT_EQ(fired, "first second");
}

TEST_F(manual_clock_test, an_armed_timer_keeps_its_executor_at_work) {
    const auto timer = time.make_timer(io.get_executor());
    timer->arm(time.now() + 1s, [] {});
    io.poll();
    EXPECT_FALSE(io.stopped());
    timer->cancel();
    io.restart();
    io.poll();
    EXPECT_TRUE(io.stopped());
}

}  // namespace
}  // namespace leasebox::testing
