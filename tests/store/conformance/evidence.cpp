#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(evidence);

TEST_P(evidence, a_late_report_is_kept_and_changes_nothing_else) {
    append("a");
    const claimed_event lost = claim_and_crash("first");
    const claimed_event current = claim_one("second");
    const std::string before = all_of("a");
    ack_request late = an_ack(lost.key, outcome::delivered);
    late.command.what.http_status = 202;
    late.command.what.detail = "accepted at last";
    const ack_reply refused = run<ack_reply>(late);
    EXPECT_EQ(refused.answer, verdict::stale_generation);
    EXPECT_TRUE(refused.evidence_kept);
    EXPECT_EQ(all_of("a"), before);
    const attempt_record kept = subject->attempts("a").at(0);
    EXPECT_EQ(kept.generation, lost.key.generation);
    EXPECT_EQ(kept.result, outcome::delivered);
    EXPECT_TRUE(kept.late);
    EXPECT_EQ(kept.http_status, 202);
    EXPECT_EQ(kept.detail, "accepted at last");
    EXPECT_EQ(ack(current.key, outcome::delivered).answer, verdict::accepted);
}

TEST_P(evidence, a_report_after_expiry_but_before_a_reclaim_is_kept) {
    append("a");
    const claimed_event lost = claim_and_crash();
    const std::string before = all_of("a");
    const ack_reply refused = ack(lost.key, outcome::delivered);
    EXPECT_EQ(refused.answer, verdict::lease_expired);
    EXPECT_TRUE(refused.evidence_kept);
    EXPECT_EQ(all_of("a"), before);
    const std::vector<attempt_record> attempts = subject->attempts("a");
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_TRUE(attempts[0].late);
}

TEST_P(evidence, it_settles_the_event_at_the_next_claim_and_nothing_is_sent) {
    append("a");
    const claimed_event lost = claim_and_crash();
    ack(lost.key, outcome::delivered);
    const claim_reply taken = claim();
    EXPECT_TRUE(taken.events.empty());
    ASSERT_EQ(taken.settled.size(), 1U);
    EXPECT_EQ(taken.settled[0].id, "a");
    EXPECT_EQ(taken.settled[0].at, state::delivered);
    EXPECT_EQ(taken.settled[0].how, cause::evidence);
    const event_row after = row("a");
    EXPECT_EQ(after.at, state::delivered);
    EXPECT_EQ(after.how, cause::evidence);
    EXPECT_FALSE(after.uncertain);
    EXPECT_EQ(after.attempts, 1) << "no attempt was spent";
    EXPECT_EQ(subject->stats().resends_avoided[cause::evidence], 1);
}

TEST_P(evidence, it_is_taken_once_only) {
    append("a");
    const claimed_event lost = claim_and_crash();
    EXPECT_TRUE(ack(lost.key, outcome::retry).evidence_kept);
    const std::vector<attempt_record> before = subject->attempts("a");
    EXPECT_FALSE(ack(lost.key, outcome::delivered).evidence_kept);
    EXPECT_EQ(subject->attempts("a"), before);
    claim_one();
    EXPECT_FALSE(ack(lost.key, outcome::delivered).evidence_kept);
}

TEST_P(evidence, it_is_taken_from_the_owner_of_the_attempt_only) {
    append("a");
    const claimed_event lost = claim_and_crash("first");
    claim_one("second");
    const claim_key stranger("a", "stranger", lost.key.generation);
    EXPECT_FALSE(ack(stranger, outcome::delivered).evidence_kept);
    const claim_key never("a", "first", lost.key.generation - 1);
    EXPECT_FALSE(ack(never, outcome::delivered).evidence_kept);
    EXPECT_EQ(subject->attempts("a").at(0).result, outcome::expired);
}

TEST_P(evidence, an_attempt_that_has_told_how_it_ended_cannot_tell_it_again) {
    append("a");
    const claimed_event first = claim_one();
    ack(first.key, outcome::uncertain);
    claim_one();
    EXPECT_FALSE(ack(first.key, outcome::delivered).evidence_kept);
    EXPECT_EQ(subject->attempts("a").at(0).result, outcome::uncertain);
}

TEST_P(evidence, it_beats_the_budgets) {
    limits.attempts_max = 1;
    append("a");
    const claimed_event lost = claim_and_crash();
    ack(lost.key, outcome::delivered);
    time.advance(limits.lifetime);
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(row("a").at, state::delivered);
}

TEST_P(evidence, it_waits_for_the_outcome_of_the_attempt_in_flight) {
    append("a");
    const claimed_event lost = claim_and_crash("first");
    const claimed_event current = claim_one("second");
    ack(lost.key, outcome::delivered);
    EXPECT_EQ(row("a").at, state::claimed);
    const ack_reply done = ack(current.key, outcome::retry);
    EXPECT_EQ(done.answer, verdict::accepted);
    EXPECT_EQ(done.at, state::delivered) << "the current attempt was not delivered, the first was";
    EXPECT_EQ(row("a").how, cause::evidence);
}

TEST_P(evidence, a_rejection_does_not_undo_a_proven_delivery) {
    append("a");
    const claimed_event lost = claim_and_crash("first");
    const claimed_event current = claim_one("second");
    ack(lost.key, outcome::delivered);
    EXPECT_EQ(ack(current.key, outcome::rejected).at, state::delivered);
}

TEST_P(evidence, the_current_attempts_own_delivery_is_its_own_response) {
    append("a");
    const claimed_event lost = claim_and_crash("first");
    const claimed_event current = claim_one("second");
    ack(lost.key, outcome::delivered);
    ack(current.key, outcome::delivered);
    EXPECT_EQ(row("a").how, cause::response);
}

TEST_P(evidence, a_dead_event_is_settled_by_its_replay_without_a_send) {
    limits.attempts_max = 1;
    append("a");
    const claimed_event lost = claim_and_crash();
    ASSERT_EQ(claim().settled.size(), 1U);
    ASSERT_EQ(row("a").at, state::dead);
    EXPECT_TRUE(ack(lost.key, outcome::delivered).evidence_kept);
    EXPECT_EQ(row("a").at, state::dead) << "a stale actor changes nothing but its evidence";
    EXPECT_EQ(act("a", operator_act::replay).answer, verdict::accepted);
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(row("a").how, cause::evidence);
}

TEST_P(evidence, a_replay_of_a_delivered_event_ignores_what_is_older) {
    append("a");
    const claimed_event lost = claim_and_crash();
    ack(lost.key, outcome::delivered);
    claim();
    ASSERT_EQ(row("a").how, cause::evidence);
    EXPECT_EQ(act("a", operator_act::replay, true).answer, verdict::accepted);
    const claimed_event again = claim_one();
    EXPECT_EQ(ack(again.key, outcome::retry).at, state::pending);
    EXPECT_EQ(claim_one().attempt, 2);
}

TEST_P(evidence, a_late_report_that_comes_after_such_a_replay_does_not_count_either) {
    append("a");
    const claimed_event lost = claim_and_crash("first");
    ack(claim_one("second").key, outcome::delivered);
    act("a", operator_act::replay, true);
    EXPECT_TRUE(ack(lost.key, outcome::delivered).evidence_kept);
    EXPECT_EQ(claim_one("third").attempt, 1);
}

TEST_P(evidence, a_late_report_of_a_failure_settles_nothing) {
    append("a");
    const claimed_event lost = claim_and_crash();
    EXPECT_TRUE(ack(lost.key, outcome::retry).evidence_kept);
    const claimed_event next = claim_one();
    EXPECT_EQ(next.attempt, 2);
    EXPECT_EQ(next.expiries, 0) << "its owner reported, so it did not die of the event";
}

TEST_P(evidence, who_was_fenced_by_an_operator_can_still_tell_what_it_did) {
    append("a");
    const claimed_event mine = claim_one();
    act("a", operator_act::park);
    const std::string before = all_of("a");
    const ack_reply refused = ack(mine.key, outcome::delivered);
    EXPECT_EQ(refused.answer, verdict::stale_generation);
    EXPECT_TRUE(refused.evidence_kept);
    EXPECT_EQ(all_of("a"), before);
    act("a", operator_act::unpark);
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(row("a").how, cause::evidence);
}

TEST_P(evidence, what_a_stale_owner_writes_is_cleaned_before_it_is_kept) {
    append("a");
    const claimed_event lost = claim_and_crash();
    ack_request late = an_ack(lost.key, outcome::retry);
    late.command.what.detail = std::string("bell\a and \xFF ") + std::string(5000, 'x');
    run<ack_reply>(late);
    const std::string kept = subject->attempts("a").at(0).detail;
    EXPECT_EQ(kept.substr(0, 12), "bell  and ? ");
    EXPECT_LE(kept.size(), 1024U);
}

}  // namespace
}  // namespace leasebox::testing
