#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(renewing);

TEST_P(renewing, a_renewal_extends_by_a_full_lease_from_now) {
    append("a");
    const claimed_event mine = claim_one();
    time.advance(10s);
    const renew_reply done = renew(mine.key);
    EXPECT_EQ(done.answer, verdict::accepted);
    EXPECT_EQ(done.lease_until, mine.claimed_at + 10s + lease);
    EXPECT_EQ(row("a").lease_until, done.lease_until);
    time.advance(lease - 1ms);
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::accepted);
}

TEST_P(renewing, a_renewed_event_is_not_reclaimed_at_its_first_end) {
    append("a");
    const claimed_event mine = claim_one();
    time.advance(lease - 1s);
    renew(mine.key);
    time.advance(1s);
    EXPECT_TRUE(claim("other").events.empty());
    time.advance(lease);
    EXPECT_EQ(claim("other").events.size(), 1U);
}

TEST_P(renewing, a_renewal_never_shortens_a_lease) {
    append("a");
    const claimed_event mine = claim_one();
    const renew_reply done = renew(mine.key, 1ms);
    EXPECT_EQ(done.answer, verdict::accepted);
    EXPECT_EQ(done.lease_until, mine.lease_until);
}

TEST_P(renewing, renewals_beyond_their_count_are_refused) {
    limits.renewals_max = 2;
    append("a");
    const claimed_event mine = claim_one();
    for (int n = 0; n < 2; ++n) {
        time.advance(10s);
        EXPECT_EQ(renew(mine.key).answer, verdict::accepted);
    }
    const std::string before = all_of("a");
    EXPECT_EQ(renew(mine.key).answer, verdict::renewal_limit);
    EXPECT_EQ(all_of("a"), before);
    EXPECT_EQ(ack(mine.key, outcome::delivered).answer, verdict::accepted)
        << "the claim still holds until its lease ends";
}

TEST_P(renewing, renewals_beyond_their_total_time_are_refused) {
    limits.lease_total_max = 50s;
    append("a");
    const claimed_event mine = claim_one();
    time.advance(20s);
    EXPECT_EQ(renew(mine.key).answer, verdict::accepted) << "it ends exactly at the bound";
    time.advance(1ms);
    const std::string before = all_of("a");
    const renew_reply refused = renew(mine.key);
    EXPECT_EQ(refused.answer, verdict::renewal_limit);
    EXPECT_EQ(refused.current, std::nullopt);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(renewing, each_claim_has_renewals_of_its_own) {
    limits.renewals_max = 1;
    append("a");
    const claimed_event first = claim_one();
    renew(first.key);
    ack(first.key, outcome::released);
    const claimed_event second = claim_one();
    EXPECT_EQ(renew(second.key).answer, verdict::accepted);
}

TEST_P(renewing, a_delayed_heartbeat_does_not_take_the_lease_back) {
    append("a");
    const claimed_event older = claim_and_crash("worker");
    const claimed_event newer = claim_one("worker");
    EXPECT_EQ(renew(older.key).answer, verdict::stale_generation);
    EXPECT_EQ(row("a").lease_until, newer.lease_until);
}

TEST_P(renewing, a_renewal_of_absurd_length_is_refused_not_overflowed) {
    append("a");
    const claimed_event mine = claim_one();
    const std::string before = all_of("a");
    EXPECT_EQ(renew(mine.key, milliseconds::max()).answer, verdict::renewal_limit);
    EXPECT_EQ(all_of("a"), before);
}

TEST_P(renewing, a_renewal_of_negative_length_changes_no_end) {
    append("a");
    const claimed_event mine = claim_one();
    renew(mine.key, milliseconds::min());
    EXPECT_EQ(row("a").lease_until, mine.lease_until);
}

}  // namespace
}  // namespace leasebox::testing
