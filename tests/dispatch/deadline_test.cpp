#include <boost/asio/this_coro.hpp>

#include "dispatch/condition.hpp"
#include "fixture.hpp"

namespace leasebox {
namespace {

struct deadlines : dispatching {
    deadlines() {
        options.lease = 30s;
        options.attempt_timeout = 20s;
        options.lease_margin = 2s;
    }
};

TEST_F(deadlines, a_send_is_cancelled_at_its_timeout_and_its_slot_is_free_again) {
    options.in_flight = 1;
    sink->next(sink_step::hangs());
    const std::string first = append();
    const std::string second = append();
    start();
    pass(19'999ms);
    EXPECT_EQ(sink->calls().size(), 1u);
    pass(2ms);
    EXPECT_EQ(status(first).row.last_outcome, outcome::uncertain);
    EXPECT_EQ(state_of(second), state::delivered);
}

TEST_F(deadlines, a_send_ends_before_its_lease_whatever_the_timeout) {
    sink->next(sink_step::hangs());
    append();
    start();
    const auto calls = sink->calls();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_LE(calls[0].deadline, clock.now() + options.attempt_timeout);
    pass(28s);
    EXPECT_EQ(sink->in_flight(), 0);
}

// Answers only when it is allowed to, whatever it is told: not even cancellation ends it.
class stubborn_sink final : public sink {
public:
    explicit stubborn_sink(const boost::asio::any_io_executor& executor) : free_(executor) {}
    boost::asio::awaitable<delivery> deliver(const claimed_event&, boot_time) override {
        co_await boost::asio::this_coro::reset_cancellation_state(
            boost::asio::disable_cancellation());
        while (!freed) co_await free_.wait();
        co_return delivery(outcome::delivered);
    }
    void free() {
        freed = true;
        free_.notify();
    }
    bool freed = false;

private:
    dispatch::condition free_;
};

TEST_F(deadlines, a_sink_that_ignores_its_cancellation_does_not_keep_the_slot) {
    options.in_flight = 1;
    auto stubborn = std::make_shared<stubborn_sink>(context.get_executor());
    const std::string id = append();
    const std::string next = append(draft("mail", "{}"));
    start();
    worker->serve("mail", sink, {});
    worker->serve("billing", stubborn, how);
    // The first attempt went to the scripted sink; this one does not.
    draft never_again("billing", "{}");
    never_again.attempts_max = 1;
    const std::string stuck = append(std::move(never_again));
    tell();
    pass(22s);
    EXPECT_EQ(status(stuck).row.last_outcome, outcome::uncertain);
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_EQ(state_of(next), state::delivered);
    const std::string after = append(draft("mail", "{}"));
    tell();
    EXPECT_EQ(state_of(after), state::delivered);
    stubborn->free();
    run_until_idle(context);
}

TEST_F(deadlines, a_claim_that_took_too_long_to_come_back_is_released_unsent) {
    // The claim's reply is held up for longer than the lease leaves for a send.
    class slow_store final : public store {
    public:
        slow_store(std::shared_ptr<store> inner, manual_clock& clock)
            : inner_(std::move(inner)), clock_(clock) {}
        std::vector<reply> commit(std::span<const operation> batch) override {
            auto replies = inner_->commit(batch);
            if (std::exchange(slow, false)) clock_.advance(28s);
            return replies;
        }
        bool changed_outside() override { return false; }
        void raise_generation_floor() override {}
        void register_owner(const std::string&) override {}
        int expire_dead_owners(const budgets&) override { return 0; }
        prune_result prune(const prune_request& what) override { return inner_->prune(what); }
        std::optional<explanation> explain(const std::string& id) override {
            return inner_->explain(id);
        }
        store_time now() override { return inner_->now(); }
        std::optional<event_status> status(const std::string& id) override {
            return inner_->status(id);
        }
        std::vector<attempt_record> attempts(const std::string& id) override {
            return inner_->attempts(id);
        }
        std::vector<event_status> list(const list_filter& f) override { return inner_->list(f); }
        store_stats stats() override { return inner_->stats(); }
        bool slow = true;

    private:
        std::shared_ptr<store> inner_;
        manual_clock& clock_;
    };
    const std::string id = append();
    auto slow = std::make_shared<slow_store>(inner, clock);
    worker = std::make_unique<dispatcher>(context.get_executor(), slow, options, watcher, clock);
    worker->serve("billing", sink, how);
    worker->async_run([this](boost::system::error_code ec) { ended = ec; });
    run_until_idle(context);
    pass(2s);
    const auto attempts = inner->attempts(id);
    ASSERT_GE(attempts.size(), 1u);
    EXPECT_EQ(attempts[0].result, outcome::released);
    EXPECT_EQ(sink->calls_of(id), 1u);  // sent under the claim that followed
    EXPECT_EQ(status(id).row.attempts, 1);
}

TEST_F(deadlines, a_suspended_host_has_spent_its_lease) {
    // The host sleeps through the lease: the late answer is refused and kept as evidence.
    sink->next(sink_step::hangs(outcome::delivered));
    const std::string id = append();
    start();
    clock.advance(31s);
    run_until_idle(context);
    const auto attempts = inner->attempts(id);
    ASSERT_FALSE(attempts.empty());
    EXPECT_EQ(attempts[0].result, outcome::delivered);
    EXPECT_TRUE(attempts[0].late);
    // The evidence settles the event under the next claim, without another request.
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_EQ(status(id).row.how, cause::evidence);
    EXPECT_EQ(sink->calls_of(id), 1u);
}

}  // namespace
}  // namespace leasebox
