#include "http/resolver.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <condition_variable>
#include <list>
#include <set>

#include "manual_clock.hpp"

namespace leasebox::http {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::make_address;

// Answers names, hangs on those that begin with "dead" until released, counts questions.
class scripted_lookup {
public:
    std::vector<address> operator()(const std::string& name) const {
        std::unique_lock lock(state_->mutex);
        ++state_->asked;
        state_->changed.notify_all();
        if (name.starts_with("dead")) state_->changed.wait(lock, [&] { return state_->released; });
        if (state_->failing) {
            throw boost::system::system_error(boost::asio::error::host_not_found);
        }
        return {make_address("192.0.2.1"), make_address("2001:db8::1")};
    }

    int asked() const {
        const std::lock_guard lock(state_->mutex);
        return state_->asked;
    }
    void wait_until_asked(int times) const {
        std::unique_lock lock(state_->mutex);
        state_->changed.wait(lock, [&] { return state_->asked >= times; });
    }
    void fail(bool failing) const {
        const std::lock_guard lock(state_->mutex);
        state_->failing = failing;
    }
    void release() const {
        const std::lock_guard lock(state_->mutex);
        state_->released = true;
        state_->changed.notify_all();
    }

private:
    struct state {
        std::mutex mutex;
        std::condition_variable changed;
        int asked = 0;
        bool failing = false;
        bool released = false;
    };
    std::shared_ptr<state> state_ = std::make_shared<state>();
};

class resolver_test : public ::testing::Test {
protected:
    ~resolver_test() override { lookup_.release(); }

    struct question {
        boost::asio::cancellation_signal signal;
        std::optional<resolved> answer;
    };

    static boost::asio::awaitable<resolved> resolve(resolver& names, std::string name) {
        co_await boost::asio::this_coro::throw_if_cancelled(false);
        co_return co_await names.resolve(std::move(name));
    }

    question& ask(std::string name) {
        question& asked = questions_.emplace_back();
        auto ended = [&asked](std::exception_ptr failed, resolved answer) {
            EXPECT_FALSE(failed);
            asked.answer = std::move(answer);
        };
        boost::asio::co_spawn(strand_, resolve(*names_, std::move(name)),
                              boost::asio::bind_cancellation_slot(asked.signal.slot(), ended));
        io_.restart();
        io_.poll();
        return asked;
    }

    resolved answer_to(question& asked) {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (!asked.answer && std::chrono::steady_clock::now() < patience) {
            io_.restart();
            io_.run_one_for(std::chrono::milliseconds{5});
        }
        return asked.answer.value_or(resolved());
    }

    resolved answer_to(const std::string& name) { return answer_to(ask(name)); }

    manual_clock clock_;
    scripted_lookup lookup_;
    boost::asio::io_context io_;
    boost::asio::any_io_executor strand_ = boost::asio::make_strand(io_);
    std::list<question> questions_;
    std::unique_ptr<resolver> names_ =
        std::make_unique<resolver>(clock_, lookup_, resolver_limits());
};

TEST_F(resolver_test, all_addresses_are_returned) {
    EXPECT_EQ(answer_to("a").addresses,
              (std::vector<address>{make_address("192.0.2.1"), make_address("2001:db8::1")}));
}

TEST_F(resolver_test, an_answer_is_kept_for_30_s) {
    answer_to("a");
    clock_.advance(std::chrono::milliseconds{29'999});
    answer_to("a");
    EXPECT_EQ(lookup_.asked(), 1);
    clock_.advance(std::chrono::milliseconds{1});
    answer_to("a");
    EXPECT_EQ(lookup_.asked(), 2);
}

TEST_F(resolver_test, a_failure_is_kept_for_1_s_then_twice_as_long_up_to_30_s) {
    lookup_.fail(true);
    int asked = 0;
    for (const int seconds : {1, 2, 4, 8, 16, 30, 30}) {
        EXPECT_EQ(answer_to("a").failed, boost::asio::error::host_not_found);
        EXPECT_EQ(lookup_.asked(), ++asked);
        clock_.advance(std::chrono::seconds{seconds} - std::chrono::milliseconds{1});
        answer_to("a");
        EXPECT_EQ(lookup_.asked(), asked) << seconds;
        clock_.advance(std::chrono::milliseconds{1});
    }
    lookup_.fail(false);
    EXPECT_FALSE(answer_to("a").failed);
    clock_.advance(std::chrono::seconds{30});
    lookup_.fail(true);
    answer_to("a");
    clock_.advance(std::chrono::seconds{1});
    answer_to("a");
    EXPECT_EQ(lookup_.asked(), asked + 3) << "a success starts it anew";
}

TEST_F(resolver_test, waiters_share_one_lookup) {
    question& first = ask("dead");
    question& second = ask("dead");
    lookup_.wait_until_asked(1);
    lookup_.release();
    EXPECT_EQ(answer_to(first).addresses.size(), 2U);
    EXPECT_EQ(answer_to(second).addresses.size(), 2U);
    EXPECT_EQ(lookup_.asked(), 1);
}

TEST_F(resolver_test, a_cancelled_waiter_leaves_and_the_late_answer_is_kept) {
    question& left = ask("dead");
    question& stays = ask("dead");
    lookup_.wait_until_asked(1);
    boost::asio::post(strand_, [&] { left.signal.emit(boost::asio::cancellation_type::terminal); });
    EXPECT_EQ(answer_to(left).failed, boost::asio::error::operation_aborted);
    EXPECT_FALSE(stays.answer);
    lookup_.release();
    EXPECT_EQ(answer_to(stays).addresses.size(), 2U);
    EXPECT_EQ(answer_to("dead").addresses.size(), 2U);
    EXPECT_EQ(lookup_.asked(), 1);
}

TEST_F(resolver_test, twenty_dead_names_do_not_delay_a_healthy_one) {
    for (int count = 0; count < 20; ++count)
        ask("dead" + std::to_string(count));
    lookup_.wait_until_asked(20);
    EXPECT_EQ(answer_to("healthy").addresses.size(), 2U);
}

TEST_F(resolver_test, it_ends_with_a_hundred_lookups_hanging) {
    for (int count = 0; count < 100; ++count)
        ask("dead" + std::to_string(count));
    lookup_.wait_until_asked(64);
    names_.reset();
    EXPECT_EQ(lookup_.asked(), 64) << "threads are bounded";
}

TEST_F(resolver_test, a_context_may_end_before_its_answer) {
    {
        boost::asio::io_context short_lived;
        boost::asio::co_spawn(boost::asio::make_strand(short_lived), names_->resolve("dead"),
                              [](std::exception_ptr, resolved) { FAIL(); });
        short_lived.poll();
        lookup_.wait_until_asked(1);
    }
    lookup_.release();
    EXPECT_EQ(answer_to("dead").addresses.size(), 2U);
}

TEST(host_lookup, the_host_resolves_odd_spellings_to_addresses) {
    EXPECT_EQ(look_up_on_host("127.1"), std::vector<address>{make_address("127.0.0.1")});
    EXPECT_EQ(look_up_on_host("0x7f.1"), std::vector<address>{make_address("127.0.0.1")});
    EXPECT_EQ(look_up_on_host("2130706433"), std::vector<address>{make_address("127.0.0.1")});
}

TEST(host_lookup, a_failure_has_words) {
    try {
        look_up_on_host("a..b");
        FAIL();
    } catch (const boost::system::system_error& failed) {
        EXPECT_FALSE(failed.code().message().empty());
    }
}

}  // namespace
}  // namespace leasebox::http
