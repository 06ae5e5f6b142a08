#include "conformance.hpp"

namespace leasebox::testing {
namespace {

// Retention: what may go, what must stay, and what is left of what went.
class pruning_events : public conformance {
protected:
    static prune_request older_than(milliseconds age) {
        prune_request request;
        request.delivered = request.cancelled = request.dead = age;
        return request;
    }

    /// A whole sweep, summed up.
    prune_result sweep(prune_request request) {
        prune_result sum;
        prune_result step;
        do {
            step = subject->prune(request);
            request.after = step.next;
            for (const auto& [at, count] : step.matched) sum.matched[at] += count;
            for (const auto& [at, count] : step.removed) sum.removed[at] += count;
            sum.kept += step.kept;
        } while (step.more);
        return sum;
    }

    void settle(const std::string& id, outcome result) {
        append(id);
        settle_due(result);
    }
    void settle_due(outcome result) { ack(claim_one().key, result); }
    void cancel(const std::string& id) {
        append(id);
        act(id, operator_act::cancel);
    }
    /// One event of each state, each of its own age: all settle now.
    void append_all_states() {
        settle("delivered", outcome::delivered);
        settle("dead", outcome::rejected);
        cancel("cancelled");
        append("parked");
        act("parked", operator_act::park);
        append("claimed");
        claim_one();
        append("pending");
    }
    bool exists(const std::string& id) { return subject->status(id).has_value(); }
    std::int64_t count(state at, const std::string& destination = "billing") {
        return subject->stats().destinations[destination].events[at];
    }
};

LEASEBOX_INSTANTIATE(pruning_events);

TEST_P(pruning_events, only_settled_events_go_each_state_by_its_own_age) {
    append_all_states();
    time.advance(1h);
    prune_request request;
    request.delivered = 30min;
    request.cancelled = 2h;
    EXPECT_EQ(sweep(request).removed[state::delivered], 1);
    EXPECT_FALSE(exists("delivered"));
    EXPECT_TRUE(exists("cancelled")) << "not old enough";
    EXPECT_TRUE(exists("dead")) << "nobody gave dead events an age";
    const prune_result rest = sweep(older_than(1ms));
    EXPECT_EQ(rest.removed.at(state::dead), 1);
    EXPECT_EQ(rest.removed.at(state::cancelled), 1);
    for (const char* each : {"parked", "claimed", "pending"}) EXPECT_TRUE(exists(each)) << each;
}

TEST_P(pruning_events, the_age_counts_from_the_settling) {
    append("a");
    time.advance(1h);
    settle_due(outcome::delivered);
    time.advance(10min - 1ms);
    EXPECT_TRUE(sweep(older_than(10min)).matched.empty());
    time.advance(1ms);
    EXPECT_EQ(sweep(older_than(10min)).removed[state::delivered], 1);
}

TEST_P(pruning_events, the_counts_follow_and_the_dead_leave_a_number_behind) {
    append_all_states();
    time.advance(1h);
    sweep(older_than(1min));
    for (const state each : {state::delivered, state::dead, state::cancelled}) {
        EXPECT_EQ(count(each), 0);
    }
    EXPECT_EQ(count(state::pending), 1);
    EXPECT_EQ(count(state::claimed), 1);
    EXPECT_EQ(count(state::parked), 1);
    EXPECT_EQ(subject->stats().destinations["billing"].pruned_dead, 1);
}

TEST_P(pruning_events, a_dead_event_that_blocks_its_lane_stays) {
    append_keyed("head", "k");
    append_keyed("next", "k");
    settle_due(outcome::rejected);
    time.advance(1h);
    const prune_result kept = sweep(older_than(1min));
    EXPECT_EQ(kept.matched.at(state::dead), 1);
    EXPECT_EQ(kept.kept, 1);
    EXPECT_TRUE(kept.removed.empty());
    EXPECT_EQ(subject->stats().lanes_blocked, 1);
    EXPECT_TRUE(claim().events.empty()) << "the lane still waits";
    act("head", operator_act::replay);
    act("head", operator_act::cancel);
    time.advance(1min);
    EXPECT_EQ(sweep(older_than(1min)).removed[state::cancelled], 1);
    EXPECT_EQ(claim_one().key.id, "next");
}

TEST_P(pruning_events, a_dead_event_that_its_lane_skipped_goes) {
    append_keyed("head", "k");
    append_keyed("next", "k");
    ack_request request = an_ack(claim_one().key, outcome::rejected);
    request.dead_head = on_dead::skip;
    run<ack_reply>(request);
    time.advance(1h);
    EXPECT_EQ(sweep(older_than(1min)).removed[state::dead], 1);
    const claimed_event next = claim_one();
    EXPECT_EQ(next.key.id, "next");
    EXPECT_EQ(next.lane_seq, 2) << "numbers of a lane go on";
}

TEST_P(pruning_events, an_event_whose_holder_may_still_report_stays) {
    append("a");
    const claimed_event mine = claim_one();
    act("a", operator_act::cancel);
    prune_request request = older_than(1ms);
    request.grace = 10s;
    time.advance(lease);
    EXPECT_EQ(sweep(request).kept, 1) << "the lease has just ended";
    EXPECT_TRUE(ack(mine.key, outcome::delivered).evidence_kept);
    time.advance(10s);
    EXPECT_EQ(sweep(request).removed[state::cancelled], 1);
}

TEST_P(pruning_events, an_event_whose_holder_has_reported_goes_before_its_lease_ends) {
    settle("a", outcome::delivered);
    time.advance(1ms);
    EXPECT_EQ(sweep(older_than(1ms)).removed[state::delivered], 1);
}

TEST_P(pruning_events, a_late_report_of_a_pruned_event_is_unknown_and_brings_nothing_back) {
    append("a");
    const claimed_event mine = claim_one();
    ack(mine.key, outcome::delivered);
    time.advance(1h);
    sweep(older_than(1min));
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::unknown_event);
    EXPECT_EQ(renew(mine.key).answer, verdict::unknown_event);
    EXPECT_FALSE(exists("a"));
    EXPECT_TRUE(claim().events.empty());
}

TEST_P(pruning_events, a_reused_id_is_another_event_and_the_old_claim_stays_fenced) {
    append("a");
    const claimed_event old = claim_and_crash();
    const claimed_event last = claim_one();
    ack(last.key, outcome::rejected);
    const std::int64_t old_seq = status("a").seq;
    time.advance(1h);
    sweep(older_than(1min));
    EXPECT_TRUE(subject->attempts("a").empty());
    EXPECT_GT(append("a").seq, old_seq);
    EXPECT_TRUE(subject->attempts("a").empty()) << "the ledger went with the event";
    EXPECT_NE(ack(old.key, outcome::delivered).answer, verdict::accepted);
    const claimed_event now = claim_one();
    EXPECT_GT(now.key.generation, last.key.generation);
    EXPECT_EQ(now.attempt, 1);
    EXPECT_EQ(ack(old.key, outcome::delivered).answer, verdict::stale_generation);
    EXPECT_EQ(ack(last.key, outcome::rejected).answer, verdict::stale_generation);
    EXPECT_EQ(row("a").at, state::claimed);
    EXPECT_EQ(subject->attempts("a").size(), 1U);
}

TEST_P(pruning_events, a_dry_run_says_the_same_and_changes_nothing) {
    append_all_states();
    append_keyed("head", "k");
    claim_request request = everything("w");
    request.alone = false;
    for (const claimed_event& each : run<claim_reply>(request).events) {
        ack(each.key, outcome::rejected);
    }
    time.advance(1h);
    prune_request dry = older_than(1min);
    dry.dry_run = true;
    const std::size_t before = subject->list({}).size();
    const prune_result would = sweep(dry);
    EXPECT_TRUE(would.removed.empty());
    EXPECT_EQ(subject->list({}).size(), before);
    const prune_result did = sweep(older_than(1min));
    EXPECT_EQ(did.matched, would.matched);
    EXPECT_EQ(did.kept, would.kept);
    EXPECT_EQ(did.kept, 1);
}

TEST_P(pruning_events, only_the_destination_that_was_asked_for) {
    append("a", "billing");
    append("b", "mail");
    for (const claimed_event& each : claim().events) ack(each.key, outcome::delivered);
    time.advance(1h);
    prune_request request = older_than(1min);
    request.destination = "mail";
    EXPECT_EQ(sweep(request).matched.at(state::delivered), 1);
    EXPECT_TRUE(exists("a"));
    EXPECT_FALSE(exists("b"));
    request.destination = "nobody";
    EXPECT_TRUE(sweep(request).matched.empty());
}

TEST_P(pruning_events, one_call_removes_no_more_than_its_limit_oldest_first) {
    for (int at = 0; at < 7; ++at) {
        settle("e" + std::to_string(at), outcome::delivered);
        time.advance(1s);
    }
    time.advance(1h);
    prune_request request = older_than(1min);
    request.limit = 3;
    const prune_result first = subject->prune(request);
    EXPECT_EQ(first.removed.at(state::delivered), 3);
    EXPECT_TRUE(first.more);
    EXPECT_FALSE(exists("e2"));
    EXPECT_TRUE(exists("e3"));
    request.after = first.next;
    EXPECT_EQ(sweep(request).removed.at(state::delivered), 4);
}

TEST_P(pruning_events, many_protected_events_do_not_hide_those_behind_them) {
    for (int at = 0; at < 5; ++at) append_keyed("k" + std::to_string(at), std::to_string(at));
    append("free");
    for (const claimed_event& each : claim().events) ack(each.key, outcome::rejected);
    time.advance(1h);
    prune_request request = older_than(1min);
    request.limit = 1;
    const prune_result done = sweep(request);
    EXPECT_EQ(done.kept, 5);
    EXPECT_EQ(done.removed.at(state::dead), 1);
    EXPECT_FALSE(exists("free"));
}

TEST_P(pruning_events, a_replayed_event_is_unsettled_and_stays) {
    settle("a", outcome::rejected);
    time.advance(1h);
    act("a", operator_act::replay);
    EXPECT_TRUE(sweep(older_than(1min)).matched.empty());
    EXPECT_TRUE(exists("a"));
}

}  // namespace
}  // namespace leasebox::testing
