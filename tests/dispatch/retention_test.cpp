#include "fixture.hpp"

namespace leasebox {
namespace {

struct retention : dispatching {
    bool exists(const std::string& id) { return inner->status(id).has_value(); }
    std::string delivered() {
        const std::string id = append();
        tell();
        EXPECT_EQ(state_of(id), state::delivered);
        return id;
    }
    void cancel(const std::string& id) {
        operator_request request;
        request.id = id;
        request.act = operator_act::cancel;
        const std::vector<operation> batch{request};
        inner->commit(batch);
    }
};

TEST_F(retention, everything_is_kept_where_nobody_says_otherwise) {
    start();
    const std::string id = delivered();
    pass(24h * 30);
    EXPECT_TRUE(exists(id));
    EXPECT_EQ(events->prunes, 0);
}

TEST_F(retention, delivered_events_go_when_their_time_is_over) {
    options.retention.delivered = 1h;
    start();
    const std::string first = delivered();
    pass(30min);
    const std::string second = delivered();
    pass(30min + 2s);
    EXPECT_FALSE(exists(first));
    EXPECT_TRUE(exists(second));
    pass(30min);
    EXPECT_FALSE(exists(second));
    EXPECT_EQ(watcher->count(occurrence::pruned), 2);
}

TEST_F(retention, each_state_has_its_own_age_and_the_dead_are_kept) {
    options.retention.delivered = 1h;
    options.retention.cancelled = 2h;
    start();
    const std::string gone = delivered();
    draft later("billing", "{}");
    later.delay = 24h;
    const std::string cancelled = append(later);
    cancel(cancelled);
    const std::string dead = append();
    sink->next(dead, sink_step::says(outcome::rejected));
    tell();
    ASSERT_EQ(state_of(dead), state::dead);
    pass(1h + 2s);
    EXPECT_FALSE(exists(gone));
    EXPECT_TRUE(exists(cancelled));
    pass(1h);
    EXPECT_FALSE(exists(cancelled));
    pass(24h);
    EXPECT_TRUE(exists(dead));
}

TEST_F(retention, a_backlog_of_old_events_goes_in_steps) {
    start();
    std::vector<std::string> ids;
    for (int at = 0; at < 500; ++at) ids.push_back(append());
    tell();
    pass(1s);
    ASSERT_EQ(state_of(ids.back()), state::delivered);
    pass(1h);
    worker.reset();
    run_until_idle(context);
    options.retention.delivered = 1min;
    start();
    pass(5s);
    for (const std::string& id : ids) EXPECT_FALSE(exists(id));
    EXPECT_GE(events->prunes, 3);
}

TEST_F(retention, a_store_that_fails_is_asked_again_and_delivering_goes_on) {
    options.retention.delivered = 1min;
    start();
    const std::string id = delivered();
    events->failing = true;
    pass(2min);
    EXPECT_TRUE(exists(id));
    EXPECT_LE(events->prunes, 125) << "no more than one try a second";
    EXPECT_GE(watcher->count(occurrence::store_failed), 1);
    events->failing = false;
    pass(2s);
    EXPECT_FALSE(exists(id));
    delivered();
}

TEST_F(retention, an_age_out_of_range_is_refused_by_name) {
    options.retention.dead = 0ms;
    try {
        start();
        FAIL() << "was accepted";
    } catch (const error& refused) {
        EXPECT_NE(refused.sentence().find("retention.dead"), std::string::npos);
    }
}

}  // namespace
}  // namespace leasebox
