#include "leasebox/testing/scripted_sink.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace leasebox::testing {
namespace {

class scripted_sink_test : public ::testing::Test {
protected:
    void start(const std::string& id) {
        event.key.id = id;
        boost::asio::co_spawn(io, subject.deliver(event, boot_time{}),
                              boost::asio::bind_cancellation_slot(
                                  stop.slot(), [this](std::exception_ptr failed, delivery said) {
                                      thrown = failed;
                                      answer = std::move(said);
                                  }));
        io.restart();
        io.poll();
    }
    outcome said(const std::string& id) {
        start(id);
        return answer.what.result;
    }

    boost::asio::io_context io;
    boost::asio::cancellation_signal stop;
    claimed_event event;
    scripted_sink subject;
    delivery answer;
    std::exception_ptr thrown;
};

TEST_F(scripted_sink_test, it_says_delivered_where_it_was_told_nothing) {
    EXPECT_EQ(said("a"), outcome::delivered);
    ASSERT_EQ(subject.calls().size(), 1U);
    EXPECT_EQ(subject.calls()[0].event.key.id, "a");
}

TEST_F(scripted_sink_test, an_events_own_steps_go_first_and_each_is_taken_once) {
    subject.next("a", sink_step::says(outcome::retry)).next(sink_step::says(outcome::rejected));
    subject.otherwise(sink_step::says(outcome::uncertain));
    EXPECT_EQ(said("a"), outcome::retry);
    EXPECT_EQ(said("a"), outcome::rejected);
    EXPECT_EQ(said("a"), outcome::uncertain);
    EXPECT_EQ(subject.calls_of("a"), 3U);
}

TEST_F(scripted_sink_test, a_function_sees_the_event) {
    subject.next(sink_step::asks([](const claimed_event& asked) {
        return delivery(outcome::rejected, "no " + asked.key.id);
    }));
    EXPECT_EQ(said("a"), outcome::rejected);
    EXPECT_EQ(answer.what.detail, "no a");
}

TEST_F(scripted_sink_test, it_throws_when_told_to) {
    subject.next(sink_step::throws("broken sink"));
    start("a");
    EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
    EXPECT_EQ(subject.in_flight(), 0);
}

TEST_F(scripted_sink_test, it_hangs_until_it_is_cancelled) {
    subject.next(sink_step::hangs(outcome::released));
    start("a");
    EXPECT_EQ(subject.in_flight(), 1);
    stop.emit(boost::asio::cancellation_type::terminal);
    io.restart();
    io.poll();
    EXPECT_EQ(answer.what.result, outcome::released);
    EXPECT_EQ(subject.in_flight(), 0);
    EXPECT_EQ(subject.in_flight_most(), 1);
}

}  // namespace
}  // namespace leasebox::testing
