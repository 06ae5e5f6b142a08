#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(fence);

// Every outcome that an owner can report.
constexpr outcome reports[] = {outcome::delivered, outcome::retry, outcome::rejected,
                               outcome::uncertain, outcome::released};

TEST_P(fence, an_unknown_event_is_said_to_be_unknown) {
    const claim_key nobody("never-appended", "worker", 1);
    EXPECT_EQ(ack(nobody, outcome::delivered).answer, verdict::unknown_event);
    EXPECT_EQ(renew(nobody).answer, verdict::unknown_event);
    EXPECT_EQ(subject->status("never-appended"), std::nullopt) << "the ack created an event";
}

TEST_P(fence, the_current_claim_is_accepted) {
    append("a");
    const claimed_event mine = claim_one("worker");
    const ack_reply done = ack(mine.key, outcome::delivered);
    EXPECT_EQ(done.answer, verdict::accepted);
    EXPECT_EQ(done.at, state::delivered);
    EXPECT_EQ(done.current, std::nullopt);
    EXPECT_FALSE(done.evidence_kept);
    EXPECT_EQ(row("a").how, cause::response);
}

TEST_P(fence, a_reused_owner_name_cannot_ack_the_newer_claim) {
    append("a");
    const claimed_event older = claim_and_crash("worker");
    const claimed_event newer = claim_one("worker");
    const std::string before = all_of("a");
    for (const outcome each : reports) {
        EXPECT_EQ(ack(older.key, each).answer, verdict::stale_generation) << each;
    }
    EXPECT_EQ(renew(older.key).answer, verdict::stale_generation);
    EXPECT_EQ(all_of("a"), before);
    EXPECT_EQ(ack(newer.key, outcome::delivered).answer, verdict::accepted);
}

TEST_P(fence, a_stale_owner_is_told_who_holds_the_event_and_since_when) {
    append("a");
    const claimed_event older = claim_and_crash("first");
    time.advance(5s);
    const claimed_event newer = claim_one("second");
    for (const auto& current :
         {ack(older.key, outcome::delivered).current, renew(older.key).current}) {
        ASSERT_TRUE(current);
        EXPECT_EQ(current->owner, "second");
        EXPECT_EQ(current->generation, newer.key.generation);
        EXPECT_EQ(current->since, newer.claimed_at);
    }
}

TEST_P(fence, nobody_is_named_where_nobody_holds_the_event) {
    append("a");
    const claimed_event older = claim_and_crash();
    const claimed_event newer = claim_one();
    ack(newer.key, outcome::delivered);
    const ack_reply refused = ack(older.key, outcome::delivered);
    EXPECT_EQ(refused.answer, verdict::stale_generation);
    EXPECT_EQ(refused.current, std::nullopt);
}

TEST_P(fence, a_lower_generation_is_stale) {
    append("a");
    const claimed_event mine = claim_one("worker");
    const claim_key lower("a", "worker", mine.key.generation - 1);
    EXPECT_EQ(ack(lower, outcome::delivered).answer, verdict::stale_generation);
    EXPECT_EQ(renew(lower).answer, verdict::stale_generation);
}

TEST_P(fence, a_generation_that_was_never_given_out_is_from_the_future) {
    append("a");
    const claimed_event mine = claim_one("worker");
    const std::string before = all_of("a");
    const claim_key higher("a", "worker", mine.key.generation + 1);
    for (const outcome each : reports) {
        EXPECT_EQ(ack(higher, each).answer, verdict::future_generation) << each;
    }
    EXPECT_EQ(renew(higher).answer, verdict::future_generation);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(fence, an_event_that_was_never_claimed_has_no_owner_to_listen_to) {
    append("a");
    EXPECT_EQ(ack(claim_key("a", "worker", 1), outcome::delivered).answer,
              verdict::future_generation);
    EXPECT_NE(ack(claim_key("a", "", 0), outcome::delivered).answer, verdict::accepted);
    EXPECT_EQ(row("a").at, state::pending);
}

TEST_P(fence, another_owner_with_the_right_generation_is_refused) {
    append("a");
    const claimed_event mine = claim_one("worker");
    const std::string before = all_of("a");
    const claim_key stranger("a", "stranger", mine.key.generation);
    for (const outcome each : reports) {
        const ack_reply refused = ack(stranger, each);
        EXPECT_EQ(refused.answer, verdict::wrong_owner) << each;
        EXPECT_FALSE(refused.evidence_kept);
    }
    EXPECT_EQ(renew(stranger).answer, verdict::wrong_owner);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(fence, a_stranger_cannot_repeat_an_accepted_ack) {
    append("a");
    const claimed_event mine = claim_one("worker");
    ack(mine.key, outcome::delivered);
    const claim_key stranger("a", "stranger", mine.key.generation);
    EXPECT_EQ(ack(stranger, outcome::delivered).answer, verdict::wrong_owner);
}

TEST_P(fence, a_retried_ack_whose_reply_was_lost_is_already_accepted) {
    for (const outcome each : reports) {
        const std::string id = "a-" + std::string(to_string(each));
        append(id);
        const claimed_event mine = claim_one();
        ASSERT_EQ(ack(mine.key, each).answer, verdict::accepted) << each;
        const std::string before = all_of(id);
        EXPECT_EQ(ack(mine.key, each).answer, verdict::already_accepted) << each;
        EXPECT_EQ(all_of(id), before) << each;
        act(id, operator_act::cancel);
    }
}

TEST_P(fence, a_retried_ack_is_already_accepted_after_the_lease_too) {
    append("a");
    const claimed_event mine = claim_one();
    ack(mine.key, outcome::delivered);
    let_lease_run_out();
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::already_accepted);
}

TEST_P(fence, an_ack_after_another_outcome_was_accepted_is_refused) {
    append("a");
    const claimed_event mine = claim_one();
    ack(mine.key, outcome::retry);
    const std::string before = all_of("a");
    for (const outcome each : reports) {
        if (each == outcome::retry) continue;
        const ack_reply refused = ack(mine.key, each);
        EXPECT_EQ(refused.answer, verdict::not_claimed) << each;
        EXPECT_FALSE(refused.evidence_kept) << "its own ack said how the attempt ended";
    }
    EXPECT_EQ(renew(mine.key).answer, verdict::not_claimed);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(fence, a_settled_event_cannot_be_unsettled_by_its_owner) {
    append("a");
    const claimed_event mine = claim_one();
    ack(mine.key, outcome::delivered);
    const std::string before = all_of("a");
    EXPECT_EQ(ack(mine.key, outcome::retry).answer, verdict::not_claimed);
    EXPECT_EQ(renew(mine.key).answer, verdict::not_claimed);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(fence, an_expired_claim_is_refused_even_though_nobody_has_reclaimed_it) {
    for (const outcome each : reports) {
        const std::string id = "a-" + std::string(to_string(each));
        append(id);
        const claimed_event mine = claim_one();
        let_lease_run_out();
        const std::string before = all_of(id);
        EXPECT_EQ(ack(mine.key, each).answer, verdict::lease_expired) << each;
        EXPECT_EQ(renew(mine.key).answer, verdict::lease_expired) << each;
        EXPECT_EQ(all_of(id), before) << each;
        act(id, operator_act::cancel);
    }
}

TEST_P(fence, the_lease_ends_at_its_last_millisecond_not_after_it) {
    append("a");
    append("b");
    const claim_reply both = claim();
    time.advance(lease - 1ms);
    EXPECT_EQ(ack(both.events.at(0).key, outcome::delivered).answer, verdict::accepted);
    time.advance(1ms);
    EXPECT_EQ(ack(both.events.at(1).key, outcome::delivered).answer, verdict::lease_expired);
}

TEST_P(fence, an_ack_that_waited_behind_others_is_judged_when_it_commits) {
    append("a");
    const claimed_event mine = claim_one();
    const ack_request asked_in_time = an_ack(mine.key, outcome::delivered);
    time.advance(lease);
    EXPECT_EQ(run<ack_reply>(asked_in_time).answer, verdict::lease_expired);
}

TEST_P(fence, the_checks_are_made_in_their_order) {
    append("a");
    const claimed_event mine = claim_one("worker");
    let_lease_run_out();
    // Everything is wrong with these; what comes first in the table is the answer.
    const claim_key stale("a", "stranger", mine.key.generation - 1);
    EXPECT_EQ(ack(stale, outcome::delivered).answer, verdict::stale_generation);
    const claim_key future("a", "stranger", mine.key.generation + 1);
    EXPECT_EQ(ack(future, outcome::delivered).answer, verdict::future_generation);
    const claim_key stranger("a", "stranger", mine.key.generation);
    EXPECT_EQ(ack(stranger, outcome::delivered).answer, verdict::wrong_owner);
}

TEST_P(fence, a_released_attempt_does_not_let_the_older_ack_match_again) {
    append("a");
    const claimed_event first = claim_one("worker");
    ack(first.key, outcome::released);
    const claimed_event second = claim_one("worker");
    EXPECT_EQ(second.attempt, first.attempt) << "the attempt was given back";
    EXPECT_GT(second.key.generation, first.key.generation);
    EXPECT_EQ(ack(first.key, outcome::delivered).answer, verdict::stale_generation);
    EXPECT_EQ(row("a").at, state::claimed);
}

}  // namespace
}  // namespace leasebox::testing
