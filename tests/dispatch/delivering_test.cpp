#include "fixture.hpp"

namespace leasebox {
namespace {

TEST_F(dispatching, an_appended_event_is_delivered_once) {
    const std::string id = append("one");
    start();
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_EQ(status(id).row.how, cause::response);
    EXPECT_EQ(sink->calls_of(id), 1u);
    pass(1h);
    EXPECT_EQ(sink->calls_of(id), 1u);
}

TEST_F(dispatching, nothing_is_held_that_cannot_be_sent_at_once) {
    options.in_flight = 4;
    how.in_flight = 100;
    sink->otherwise(sink_step::hangs());
    for (int at = 0; at < 50; ++at) append();
    start();
    EXPECT_EQ(sink->in_flight(), 4);
    EXPECT_EQ(inner->stats().destinations["billing"].events[state::claimed], 4);
}

TEST_F(dispatching, a_destination_keeps_to_its_own_limit) {
    how.in_flight = 3;
    sink->otherwise(sink_step::hangs());
    auto other = std::make_shared<scripted_sink>();
    for (int at = 0; at < 20; ++at) append();
    for (int at = 0; at < 20; ++at) append(draft("mail", "{}"));
    start();
    worker->serve("mail", other, {});
    run_until_idle(context);
    EXPECT_EQ(sink->in_flight_most(), 3);
    EXPECT_EQ(other->calls().size(), 20u);
}

TEST_F(dispatching, an_event_for_an_unknown_destination_stays_as_it_is) {
    const std::string id = append(draft("nowhere", "{}"));
    const std::string known = append();
    start();
    pass(48h);
    EXPECT_EQ(state_of(id), state::pending);
    EXPECT_EQ(status(id).row.attempts, 0);
    EXPECT_EQ(state_of(known), state::delivered);
}

TEST_F(dispatching, a_failure_is_retried_after_its_backoff_and_never_sooner_than_asked) {
    options.retry = {1s, 1min};
    const std::string id = append();
    delivery no(outcome::retry, "HTTP 503");
    no.retry_after = 20s;
    sink->next(sink_step::says(no));
    start();
    EXPECT_EQ(state_of(id), state::pending);
    pass(19s);
    EXPECT_EQ(sink->calls_of(id), 1u);
    pass(2s);
    EXPECT_EQ(sink->calls_of(id), 2u);
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_EQ(status(id).row.attempts, 2);
}

TEST_F(dispatching, a_busy_consumer_holds_its_whole_destination) {
    delivery busy(outcome::retry, "HTTP 429");
    busy.retry_after = 30s;
    busy.hold_destination = true;
    how.in_flight = 1;
    sink->next(sink_step::says(busy));
    append();
    append();
    start();
    EXPECT_EQ(sink->calls().size(), 1u);
    pass(29s);
    EXPECT_EQ(sink->calls().size(), 1u);
    pass(32s);
    EXPECT_EQ(sink->calls().size(), 3u);
}

TEST_F(dispatching, attempts_end_with_the_budget_and_the_reason_says_so) {
    options.limits.attempts_max = 3;
    options.retry = {1s, 1s};
    sink->otherwise(sink_step::says(outcome::retry, "HTTP 500"));
    const std::string id = append();
    start();
    pass(1h);
    EXPECT_EQ(sink->calls_of(id), 3u);
    EXPECT_EQ(state_of(id), state::dead);
    EXPECT_EQ(status(id).row.why, reason::attempts);
    EXPECT_EQ(status(id).row.last_error, "HTTP 500");
}

TEST_F(dispatching, a_rejected_event_is_dead_at_once) {
    sink->next(sink_step::says(outcome::rejected, "HTTP 413"));
    const std::string id = append();
    start();
    EXPECT_EQ(state_of(id), state::dead);
    EXPECT_EQ(status(id).row.why, reason::rejected);
}

TEST_F(dispatching, the_lifetime_ends_an_event_whatever_its_attempts) {
    options.limits.lifetime = 1h;
    options.retry = {10min, 20min};
    options.limits.attempts_max = 1000;
    sink->otherwise(sink_step::says(outcome::retry));
    const std::string id = append();
    start();
    pass(2h);
    EXPECT_EQ(state_of(id), state::dead);
    EXPECT_EQ(status(id).row.why, reason::lifetime);
}

TEST_F(dispatching, a_sink_that_throws_ends_in_doubt_and_disturbs_nobody) {
    const std::string bad = append();
    const std::string good = append();
    sink->next(bad, sink_step::throws("broken"));
    start();
    EXPECT_EQ(state_of(good), state::delivered);
    EXPECT_EQ(status(bad).row.last_outcome, outcome::uncertain);
    EXPECT_EQ(status(bad).row.last_error, "the sink threw: broken");
    pass(1h);
    EXPECT_EQ(state_of(bad), state::delivered);
}

TEST_F(dispatching, a_lane_is_sent_in_order_while_its_head_is_retried) {
    options.retry = {1s, 1s};
    std::vector<std::string> ids;
    for (int at = 0; at < 5; ++at) {
        draft event("billing", std::to_string(at));
        event.key = "k";
        ids.push_back(append(std::move(event)));
    }
    sink->next(ids[1], sink_step::says(outcome::retry));
    sink->next(ids[1], sink_step::says(outcome::retry));
    start();
    pass(1min);
    std::string order;
    for (const auto& call : sink->calls()) order += call.event.payload;
    EXPECT_EQ(order, "0111234");
    EXPECT_EQ(sink->in_flight_most(), 1);
}

TEST_F(dispatching, another_process_commit_is_noticed_by_polling) {
    start();
    const std::string id = append();
    events->changed = true;
    pass(options.poll + 1ms);
    EXPECT_EQ(state_of(id), state::delivered);
}

TEST_F(dispatching, an_idle_dispatcher_asks_nothing_of_the_store) {
    start();
    const int before = events->commits;
    pass(1h);
    EXPECT_EQ(events->commits, before);
}

TEST_F(dispatching, a_suspect_runs_alone) {
    // Twice its owner vanished: the third time nobody else may be in flight with it.
    const std::string poison = append();
    for (int kill = 0; kill < 2; ++kill) {
        claim_request lost;
        lost.owner = "gone";
        lost.lease = 1s;
        lost.any_destination = true;
        lost.alone = true;
        const std::vector<operation> batch{lost};
        inner->commit(batch);
        clock.advance(2s);
    }
    for (int at = 0; at < 20; ++at) append();
    int beside = -1;
    sink->next(poison, sink_step::asks([&](const claimed_event&) {
                   beside = sink->in_flight();
                   return delivery(outcome::delivered);
               }));
    start();
    pass(1min);
    EXPECT_EQ(beside, 1);
    EXPECT_EQ(sink->calls().size(), 21u);
    EXPECT_EQ(state_of(poison), state::delivered);
}

}  // namespace
}  // namespace leasebox
