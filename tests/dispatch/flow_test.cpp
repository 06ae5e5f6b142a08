#include "dispatch/flow.hpp"

#include <gtest/gtest.h>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;
using change = breaker::change;

delivery answer(outcome result, int status) {
    delivery said(result);
    said.what.http_status = status;
    return said;
}

TEST(sign, says_what_an_end_tells_about_the_destination) {
    EXPECT_EQ(sign_of(answer(outcome::delivered, 200), false), sign::well);
    EXPECT_EQ(sign_of(answer(outcome::rejected, 422), false), sign::well);
    EXPECT_EQ(sign_of(answer(outcome::retry, 503), false), sign::failing);
    EXPECT_EQ(sign_of(answer(outcome::retry, 0), false), sign::failing);
    EXPECT_EQ(sign_of(answer(outcome::uncertain, 0), false), sign::failing);
    EXPECT_EQ(sign_of(answer(outcome::retry, 401), false), sign::failing);
    EXPECT_EQ(sign_of(answer(outcome::rejected, 403), false), sign::failing);
    EXPECT_EQ(sign_of(answer(outcome::released, 0), false), sign::nothing);
    EXPECT_EQ(sign_of(answer(outcome::retry, 429), true), sign::nothing);
    delivery busy = answer(outcome::retry, 409);
    busy.soon = true;
    EXPECT_EQ(sign_of(busy, false), sign::nothing);
    delivery known = answer(outcome::delivered, 200);
    known.what.how = cause::evidence;
    EXPECT_EQ(sign_of(known, false), sign::nothing);
}

struct flowing : ::testing::Test {
    flow_ticket start() { return subject.started(now); }
    change end(const flow_ticket& ticket, sign what) {
        const change changed = subject.answered(ticket, what, now, 500);
        subject.ended(ticket);
        return changed;
    }
    void open() {
        std::vector<flow_ticket> all;
        for (int at = 0; at < 10; ++at) all.push_back(start());
        for (const flow_ticket& each : all) end(each, sign::failing);
        ASSERT_EQ(subject.view().at(now).circuit, circuit_state::open);
    }
    void use(const destination_options& how) { subject = flow(how); }

    boot_time now{1h};
    flow subject;
};

TEST_F(flowing, slots_are_what_is_not_in_flight) {
    EXPECT_EQ(subject.free_slots(now), 16);
    const flow_ticket one = start();
    EXPECT_EQ(subject.free_slots(now), 15);
    subject.answered(one, sign::well, now, 0);
    EXPECT_EQ(subject.free_slots(now), 15);
    subject.ended(one);
    EXPECT_EQ(subject.free_slots(now), 16);
    EXPECT_EQ(subject.opens_at(now), std::nullopt);
}

TEST_F(flowing, full_slots_are_opened_by_no_time) {
    for (int at = 0; at < 16; ++at) start();
    EXPECT_EQ(subject.free_slots(now), 0);
    EXPECT_EQ(subject.opens_at(now), std::nullopt);
    subject.hold(now + 10s);
    EXPECT_EQ(subject.opens_at(now), std::nullopt);
}

TEST_F(flowing, a_hold_ends_by_itself) {
    subject.hold(now + 10s);
    subject.hold(now + 5s);
    EXPECT_EQ(subject.free_slots(now), 0);
    EXPECT_EQ(subject.opens_at(now), now + 10s);
    EXPECT_TRUE(subject.view().at(now).held);
    now += 10s;
    EXPECT_EQ(subject.free_slots(now), 16);
    EXPECT_FALSE(subject.view().at(now).held);
}

TEST_F(flowing, the_rate_is_kept_whatever_the_slots) {
    destination_options how;
    how.rate = send_rate{2, 1s};
    use(how);
    EXPECT_EQ(subject.free_slots(now), 2);
    end(start(), sign::well);
    end(start(), sign::well);
    EXPECT_EQ(subject.free_slots(now), 0);
    EXPECT_TRUE(subject.is_rationed(now));
    EXPECT_EQ(subject.opens_at(now), now + 500ms);
    subject.hold(now + 10s);
    EXPECT_EQ(subject.opens_at(now), now + 10s);
    EXPECT_FALSE(subject.is_rationed(now));
}

TEST_F(flowing, an_open_circuit_lets_one_probe_out_and_then_grows) {
    open();
    EXPECT_EQ(subject.free_slots(now), 0);
    EXPECT_EQ(subject.opens_at(now), now + 1s);
    now += 1s;
    EXPECT_EQ(subject.view().at(now).circuit, circuit_state::half_open);
    EXPECT_EQ(subject.free_slots(now), 1);
    const flow_ticket probe = start();
    EXPECT_EQ(subject.free_slots(now), 0);
    EXPECT_EQ(subject.opens_at(now), std::nullopt);
    EXPECT_EQ(end(probe, sign::well), change::closed);
    EXPECT_EQ(subject.view().at(now).limit, 1);
    EXPECT_EQ(subject.free_slots(now), 1);
    end(start(), sign::well);
    EXPECT_EQ(subject.free_slots(now), 0);
    EXPECT_EQ(subject.opens_at(now), now + 1s);
}

TEST_F(flowing, what_hangs_from_before_does_not_keep_the_probe_back) {
    for (int at = 0; at < 5; ++at) start();
    open();
    now += 1s;
    EXPECT_EQ(subject.free_slots(now), 1);
}

TEST_F(flowing, a_probe_that_breaks_off_does_not_keep_its_place) {
    open();
    now += 1s;
    subject.ended(start());
    EXPECT_EQ(subject.free_slots(now), 1);
}

TEST_F(flowing, a_pause_ends_only_by_other_options) {
    const flow_ticket running = start();
    EXPECT_TRUE(subject.pause());
    EXPECT_FALSE(subject.pause());
    EXPECT_EQ(subject.free_slots(now + 24h), 0);
    EXPECT_EQ(subject.opens_at(now), std::nullopt);
    subject.reset({});
    EXPECT_EQ(subject.free_slots(now), 15);
    end(running, sign::well);
    EXPECT_EQ(subject.free_slots(now), 16);
}

}  // namespace
}  // namespace leasebox::dispatch
