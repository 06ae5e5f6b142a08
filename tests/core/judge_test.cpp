// The fence as a table: one row of it for each condition, with everything else right.
#include <gtest/gtest.h>

#include "leasebox/core/model.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;

constexpr store_time now = from_ms(1'000'000);

event_row claimed_row() {
    event_row row;
    row.at = state::claimed;
    row.owner = "worker";
    row.generation = 7;
    row.attempts = 1;
    row.claimed_at = now - 10s;
    row.lease_until = now + 20s;
    return row;
}

// As its own ack left it.
event_row ended_row(state at, outcome how) {
    event_row row = claimed_row();
    row.at = at;
    row.last_outcome = how;
    row.ended_at = now - 1s;
    return row;
}

event_row ending_at(store_time lease_until) {
    event_row row = claimed_row();
    row.lease_until = lease_until;
    return row;
}

const claim_key mine("a", "worker", 7);
const claim_key older("a", "worker", 6);
const claim_key newer("a", "worker", 8);
const claim_key strangers("a", "stranger", 7);

struct judgment {
    const char* situation;
    event_row row;
    claim_key key;
    std::optional<outcome> reported;
    verdict expected;
};

const judgment table[] = {
    {"the current claim", claimed_row(), mine, outcome::delivered, verdict::accepted},
    {"its renewal", claimed_row(), mine, std::nullopt, verdict::accepted},
    {"an older claim of the same name", claimed_row(), older, outcome::delivered,
     verdict::stale_generation},
    {"an older claim's renewal", claimed_row(), older, std::nullopt, verdict::stale_generation},
    {"a generation never given out", claimed_row(), newer, outcome::delivered,
     verdict::future_generation},
    {"another owner", claimed_row(), strangers, outcome::delivered, verdict::wrong_owner},
    {"another owner of a settled one", ended_row(state::delivered, outcome::delivered), strangers,
     outcome::delivered, verdict::wrong_owner},
    {"a repeated delivery", ended_row(state::delivered, outcome::delivered), mine,
     outcome::delivered, verdict::already_accepted},
    {"a repeated failure that waits", ended_row(state::pending, outcome::retry), mine,
     outcome::retry, verdict::already_accepted},
    {"a repeated failure that was the last", ended_row(state::dead, outcome::retry), mine,
     outcome::retry, verdict::already_accepted},
    {"a repeated uncertainty that is held", ended_row(state::parked, outcome::uncertain), mine,
     outcome::uncertain, verdict::already_accepted},
    {"another outcome than the accepted one", ended_row(state::delivered, outcome::delivered), mine,
     outcome::retry, verdict::not_claimed},
    {"a renewal after the end", ended_row(state::delivered, outcome::delivered), mine, std::nullopt,
     verdict::not_claimed},
    {"a repeated ack of an older claim", ended_row(state::delivered, outcome::delivered), older,
     outcome::delivered, verdict::stale_generation},
    {"a millisecond before the end", ending_at(now + 1ms), mine, outcome::delivered,
     verdict::accepted},
    {"exactly at the end", ending_at(now), mine, outcome::delivered, verdict::lease_expired},
    {"after the end", ending_at(now - 1ms), mine, outcome::delivered, verdict::lease_expired},
    {"a renewal after the lease", ending_at(now), mine, std::nullopt, verdict::lease_expired},
    {"an expired claim of another", ending_at(now), strangers, outcome::delivered,
     verdict::wrong_owner},
    {"a stale claim of an expired one", ending_at(now), older, outcome::delivered,
     verdict::stale_generation},
    {"an event that nobody has claimed yet", event_row{}, mine, outcome::delivered,
     verdict::future_generation},
};

TEST(judge, every_condition_of_the_fence) {
    for (const judgment& each : table) {
        EXPECT_EQ(judge(each.row, each.key, each.reported, now), each.expected) << each.situation;
    }
}

TEST(judge, a_claimed_event_is_never_already_accepted) {
    event_row row = claimed_row();
    row.last_outcome = outcome::retry;
    EXPECT_EQ(judge(row, mine, outcome::retry, now), verdict::accepted)
        << "the last outcome is that of the attempt before";
}

TEST(judge, who_is_refused_changes_nothing) {
    const event_row row = claimed_row();
    ack_command late;
    late.key = older;
    late.what = report(outcome::delivered);
    const transition done = apply_ack(row, late, budgets{}, now);
    EXPECT_EQ(done.answer, verdict::stale_generation);
    EXPECT_EQ(done.row, row);
    EXPECT_EQ(done.closed, std::nullopt);
}

}  // namespace
}  // namespace leasebox
