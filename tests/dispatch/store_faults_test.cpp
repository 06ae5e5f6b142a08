#include "fixture.hpp"

namespace leasebox {
namespace {

TEST_F(dispatching, no_send_starts_while_the_store_cannot_commit) {
    const std::string id = append();
    events->failing = true;
    start();
    pass(1min);
    EXPECT_TRUE(sink->calls().empty());
    EXPECT_FALSE(worker->status().store_answers);
    events->failing = false;
    pass(6s);
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_TRUE(worker->status().store_answers);
    EXPECT_EQ(watcher->count(occurrence::store_recovered), 1);
}

TEST_F(dispatching, a_report_is_tried_again_until_the_store_takes_it) {
    const std::string id = append();
    events->only_acks = true;
    events->failing = true;
    start();
    pass(10s);
    EXPECT_EQ(sink->calls_of(id), 1u);
    EXPECT_EQ(state_of(id), state::claimed);
    events->failing = false;
    pass(2s);
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_EQ(status(id).row.attempts, 1);
}

TEST_F(dispatching, a_report_that_outlived_its_lease_is_evidence_and_not_a_failure) {
    const std::string id = append();
    events->only_acks = true;
    events->failing = true;
    start();
    pass(options.lease + 1s);
    events->failing = false;
    pass(5s);
    EXPECT_EQ(state_of(id), state::delivered);
    EXPECT_EQ(status(id).row.how, cause::evidence);
    EXPECT_EQ(sink->calls_of(id), 1u);
}

TEST_F(dispatching, what_cannot_be_settled_keeps_its_slot) {
    options.in_flight = 2;
    for (int at = 0; at < 10; ++at) append();
    events->only_acks = true;
    events->failing = true;
    start();
    pass(10s);
    EXPECT_EQ(sink->calls().size(), 2u);
    EXPECT_EQ(worker->status().in_flight, 2);
}

TEST_F(dispatching, a_burst_of_reports_shares_transactions) {
    options.in_flight = 200;
    how.in_flight = 200;
    options.claim_max = 200;
    for (int at = 0; at < 200; ++at) append();
    start();
    EXPECT_GE(events->batch_most, 100u);
    EXPECT_LT(events->commits, 20);
}

TEST_F(dispatching, an_append_through_the_dispatcher_is_delivered_without_polling) {
    start();
    std::optional<receipt> got;
    worker->async_append(draft("billing", "{}"),
                         [&](boost::system::error_code ec, receipt r) {
                             EXPECT_FALSE(ec);
                             got = std::move(r);
                         });
    run_until_idle(context);
    ASSERT_TRUE(got);
    EXPECT_EQ(state_of(got->id), state::delivered);
}

TEST_F(dispatching, an_append_that_shares_the_transaction_of_an_empty_claim_is_not_overlooked) {
    // The claim comes first in the batch and finds nothing; the append behind it wakes nobody
    // else up.
    worker = std::make_unique<dispatcher>(context.get_executor(), events, options, watcher, clock);
    worker->serve("billing", sink, how);
    worker->async_run([this](boost::system::error_code ec) { ended = ec; });
    worker->async_append(draft("billing", "{}"), [](boost::system::error_code, const receipt&) {});
    run_until_idle(context);
    EXPECT_EQ(sink->calls().size(), 1u);
}

TEST_F(dispatching, a_bad_append_fails_alone_with_its_reason) {
    start();
    boost::system::error_code bad;
    boost::system::error_code good;
    worker->async_append(draft("no spaces please", "{}"),
                         [&](boost::system::error_code ec, const receipt&) { bad = ec; });
    worker->async_append(draft("billing", "{}"),
                         [&](boost::system::error_code ec, const receipt&) { good = ec; });
    run_until_idle(context);
    EXPECT_EQ(bad, errc::invalid_event);
    EXPECT_FALSE(good);
}

TEST_F(dispatching, a_function_runs_in_the_stores_transaction) {
    start();
    boost::system::error_code done = make_error_code(errc::io);
    worker->async_transact(
        [](transaction& open) {
            open.append(draft("billing", "a"));
            open.append(draft("billing", "b"));
        },
        [&](boost::system::error_code ec) { done = ec; });
    run_until_idle(context);
    EXPECT_FALSE(done);
    EXPECT_EQ(sink->calls().size(), 2u);
}

TEST_F(dispatching, a_function_that_throws_undoes_what_it_did) {
    start();
    boost::system::error_code done;
    worker->async_transact(
        [](transaction& open) {
            open.append(draft("billing", "a"));
            throw std::runtime_error("changed my mind");
        },
        [&](boost::system::error_code ec) { done = ec; });
    run_until_idle(context);
    EXPECT_EQ(done, errc::store_failed);
    EXPECT_TRUE(sink->calls().empty());
}

TEST_F(dispatching, a_full_queue_says_so_at_once) {
    options.store_queue_max = 2;
    start();
    std::vector<boost::system::error_code> codes;
    for (int at = 0; at < 4; ++at) {
        worker->async_append(draft("billing", "{}"),
                             [&](boost::system::error_code ec, const receipt&) {
                                 codes.push_back(ec);
                             });
    }
    run_until_idle(context);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), make_error_code(errc::queue_full)), 2);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), boost::system::error_code{}), 2);
}

}  // namespace
}  // namespace leasebox
