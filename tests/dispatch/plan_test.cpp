// The plan as a dialogue: what happened, and the step that must follow.
#include "dispatch/plan.hpp"

#include <gtest/gtest.h>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;
using kind = step::kind;

const boot_time start{1h};
const store_time store_now{100h};

claim_reply reply_of(int events, std::optional<milliseconds> next_due_in = std::nullopt) {
    claim_reply reply;
    reply.events.resize(static_cast<std::size_t>(events));
    reply.now = store_now;
    if (next_due_in) reply.next_due = store_now + *next_due_in;
    return reply;
}

// What the claimer does with a step `claim`.
void ask_and_hear(plan& asked, const claim_reply& reply, int count, boot_time at) {
    asked.asking();
    asked.claimed(reply, count, at);
}

TEST(plan, a_wake_up_while_a_claim_is_under_way_is_not_lost) {
    plan busy({8, 8, false});
    busy.asking();
    busy.woken();
    busy.claimed(reply_of(0), 8, start);
    EXPECT_EQ(busy.next(0, true, start).what, kind::claim);
}

TEST(plan, looks_at_once_when_it_starts) {
    const plan fresh({8, 4, false});
    const step first = fresh.next(0, true, start);
    EXPECT_EQ(first.what, kind::claim);
    EXPECT_EQ(first.count, 4);
    EXPECT_TRUE(first.alone);
}

TEST(plan, never_asks_for_more_than_is_free) {
    const plan fresh({8, 100, false});
    EXPECT_EQ(fresh.next(5, true, start).count, 3);
    EXPECT_FALSE(fresh.next(5, true, start).alone);
    EXPECT_EQ(fresh.next(8, true, start).what, kind::wait);
}

TEST(plan, does_not_ask_while_every_destination_is_full) {
    const plan fresh({8, 8, false});
    EXPECT_EQ(fresh.next(2, false, start).what, kind::wait);
}

TEST(plan, waits_without_end_when_nothing_is_coming) {
    plan idle({8, 8, false});
    ask_and_hear(idle, reply_of(0), 8, start);
    const step next = idle.next(0, true, start);
    EXPECT_EQ(next.what, kind::wait);
    EXPECT_FALSE(next.until);
}

TEST(plan, waits_until_the_next_event_is_due_by_durations_alone) {
    plan idle({8, 8, false});
    ask_and_hear(idle, reply_of(0, 1500ms), 8, start);
    EXPECT_EQ(idle.next(0, true, start).until, start + 1500ms);
    EXPECT_EQ(idle.next(0, true, start + 1500ms).what, kind::claim);
}

TEST(plan, waits_until_a_destination_opens_although_something_was_due_before) {
    plan held({8, 8, false});
    ask_and_hear(held, reply_of(0, 5s), 8, start);
    held.opens(start + 30s);
    EXPECT_EQ(held.next(0, false, start).until, start + 5s);
    EXPECT_EQ(held.next(0, false, start + 5s).what, kind::wait);
    EXPECT_EQ(held.next(0, false, start + 5s).until, start + 30s);
    held.opens(std::nullopt);
    EXPECT_EQ(held.next(0, true, start + 30s).what, kind::claim);
}

TEST(plan, is_not_drained_while_a_destination_will_open) {
    plan batch({8, 8, true});
    ask_and_hear(batch, reply_of(0), 8, start);
    batch.opens(start + 1s);
    EXPECT_EQ(batch.next(0, false, start).what, kind::wait);
    batch.opens(std::nullopt);
    EXPECT_EQ(batch.next(0, false, start).what, kind::drained);
}

TEST(plan, is_drained_and_quiet_where_all_is_paused) {
    plan batch({8, 8, true});
    batch.paused(true);
    EXPECT_TRUE(batch.is_quiet(start));
    EXPECT_EQ(batch.next(1, false, start).what, kind::wait);
    EXPECT_EQ(batch.next(0, false, start).what, kind::drained);
}

TEST(plan, a_wake_up_makes_it_look) {
    plan idle({8, 8, false});
    ask_and_hear(idle, reply_of(0), 8, start);
    idle.woken();
    EXPECT_EQ(idle.next(0, true, start).what, kind::claim);
}

TEST(plan, a_full_reply_is_followed_by_another_look_once_a_slot_is_free) {
    plan busy({8, 8, false});
    ask_and_hear(busy, reply_of(8), 8, start);
    EXPECT_EQ(busy.next(8, true, start).what, kind::wait);
    busy.slot_freed(false);
    EXPECT_EQ(busy.next(7, true, start).what, kind::claim);
}

TEST(plan, a_freed_slot_is_no_reason_to_look_when_nothing_was_left_behind) {
    plan busy({8, 8, false});
    ask_and_hear(busy, reply_of(3), 8, start);
    busy.slot_freed(false);
    EXPECT_EQ(busy.next(2, true, start).what, kind::wait);
    busy.slot_freed(true);
    EXPECT_EQ(busy.next(2, true, start).what, kind::claim);
}

TEST(plan, an_overdue_event_that_nobody_may_take_makes_no_busy_loop) {
    plan idle({8, 8, false});
    ask_and_hear(idle, reply_of(0, -5s), 8, start);
    const step next = idle.next(0, true, start);
    EXPECT_EQ(next.what, kind::wait);
    EXPECT_GT(next.until, start);
}

TEST(plan, backs_off_from_a_store_that_fails_and_comes_back) {
    plan failing({8, 8, false});
    failing.claim_failed(start);
    const step first = failing.next(0, true, start);
    EXPECT_EQ(first.what, kind::wait);
    EXPECT_EQ(first.until, start + 100ms);
    EXPECT_EQ(failing.next(0, true, start + 100ms).what, kind::claim);
    for (int again = 0; again < 20; ++again) failing.claim_failed(start);
    EXPECT_EQ(failing.next(0, true, start).until, start + 5s);
    ask_and_hear(failing, reply_of(1), 8, start);
    failing.claim_failed(start);
    EXPECT_EQ(failing.next(0, true, start).until, start + 100ms);
}

TEST(plan, claims_nothing_more_after_a_stop_and_is_drained_when_the_last_send_has_ended) {
    plan stopped({8, 8, false});
    stopped.stopping();
    EXPECT_EQ(stopped.next(2, true, start).what, kind::wait);
    EXPECT_EQ(stopped.next(0, true, start).what, kind::drained);
}

TEST(plan, a_suspect_waits_until_nothing_else_is_in_flight_and_then_runs_alone) {
    plan careful({8, 8, false});
    claim_reply reply = reply_of(2);
    reply.suspect_waits = true;
    ask_and_hear(careful, reply, 8, start);
    EXPECT_EQ(careful.next(2, true, start).what, kind::wait);
    const step alone = careful.next(0, true, start);
    EXPECT_EQ(alone.what, kind::claim);
    EXPECT_TRUE(alone.alone);

    claim_reply taken = reply_of(1);
    taken.events.front().suspect = true;
    ask_and_hear(careful, taken, 8, start);
    careful.woken();
    EXPECT_EQ(careful.next(1, true, start).what, kind::wait);
    careful.suspect_ended();
    EXPECT_EQ(careful.next(0, true, start).what, kind::claim);
}

TEST(plan, until_idle_ends_when_nothing_can_move) {
    plan batch({8, 8, true});
    ask_and_hear(batch, reply_of(0), 8, start);
    EXPECT_EQ(batch.next(0, true, start).what, kind::drained);
}

TEST(plan, until_idle_stays_for_a_retry_that_is_still_to_come) {
    plan batch({8, 8, true});
    ask_and_hear(batch, reply_of(0, 10s), 8, start);
    EXPECT_EQ(batch.next(0, true, start).until, start + 10s);
}

TEST(plan, until_idle_does_not_wait_for_the_leases_of_what_has_ended) {
    plan batch({8, 8, true});
    ask_and_hear(batch, reply_of(2, 30s), 8, start);
    EXPECT_EQ(batch.next(2, true, start).what, kind::wait);
    EXPECT_EQ(batch.next(0, true, start).what, kind::claim);
    ask_and_hear(batch, reply_of(0), 8, start);
    EXPECT_EQ(batch.next(0, true, start).what, kind::drained);
}

TEST(plan, a_held_destination_is_looked_at_again_when_its_hold_ends) {
    plan held({8, 8, false});
    ask_and_hear(held, reply_of(0, 1min), 8, start);
    held.due(start + 5s);
    EXPECT_EQ(held.next(0, true, start).until, start + 5s);
    held.due(start + 9s);
    EXPECT_EQ(held.next(0, true, start).until, start + 5s);
}

TEST(plan, is_quiet_only_when_nothing_is_due) {
    plan idle({8, 8, false});
    EXPECT_FALSE(idle.is_quiet(start));
    ask_and_hear(idle, reply_of(0, 10s), 8, start);
    EXPECT_TRUE(idle.is_quiet(start));
    EXPECT_FALSE(idle.is_quiet(start + 10s));
}

}  // namespace
}  // namespace leasebox::dispatch
