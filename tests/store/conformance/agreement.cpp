// Any dialogue must go the same way on every store as on the one in memory: long random ones,
// compared reply by reply and row by row.
#include <random>
#include <set>
#include <sstream>

#include "conformance.hpp"
#include "leasebox/testing/memory_store.hpp"

namespace leasebox::testing {
namespace {

class agreement : public conformance {
protected:
    agreement() {
        lease = 10s;
        limits.lifetime = 10min;
        limits.attempts_max = 6;
        limits.renewals_max = 2;
    }

    void converse(unsigned seed, int steps);
    void say(const operation& what);
    void compare_events();

    int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random); }
    bool one_in(int many) { return up_to(many - 1) == 0; }
    template <class Options>
    auto any_of(const Options& options) {
        return options.at(static_cast<std::size_t>(up_to(static_cast<int>(options.size()) - 1)));
    }

    operation random_append();
    operation random_ack();
    operation random_renewal();
    operation random_act();
    void claim_all();
    void move_time();

    std::unique_ptr<memory_store> reference;
    std::mt19937 random;
    int appended = 0;
    std::vector<claim_key> claims;
    std::string story;  ///< the last operation, for the failure's sentence
};
LEASEBOX_INSTANTIATE(agreement);

std::string text_of(const std::optional<holder>& current) {
    if (!current) return "nobody";
    return current->owner + " " + std::to_string(current->generation) + " since " +
           std::to_string(to_ms(current->since));
}

std::string line_of(const claimed_event& event) {
    std::ostringstream out;
    out << event.key.id << " generation " << event.key.generation << " attempt " << event.attempt
        << " lane " << event.lane_seq << " expiries " << event.expiries << " uncertain "
        << event.uncertain << " suspect " << event.suspect;
    return out.str();
}

std::string line_of(const settled_event& event) {
    std::ostringstream out;
    out << event.id << " settled " << event.at << ' ' << event.why.value_or(reason{}) << ' '
        << event.how.value_or(cause{}) << ' ' << event.generation << ' ' << event.attempts;
    return out.str();
}

// A reply as text, so that a difference can be read.
struct describe {
    std::ostringstream& out;

    void operator()(const failure& it) { out << "failure " << it.code << ' ' << it.sentence; }
    void operator()(const ack_reply& it) {
        out << "ack " << it.answer << " held by " << text_of(it.current) << " kept "
            << it.evidence_kept << " at " << it.at << ' ' << it.why.value_or(reason{}) << " now "
            << to_ms(it.now);
    }
    void operator()(const renew_reply& it) {
        out << "renew " << it.answer << " held by " << text_of(it.current) << " until "
            << to_ms(it.lease_until);
    }
    void operator()(const claim_reply& it) {
        out << "claim expired " << it.expired << " suspect waits " << it.suspect_waits << " next "
            << (it.next_due ? to_ms(*it.next_due) : -1) << " now " << to_ms(it.now);
        // In no order, since a head that settles frees the next of its lane in mid-claim.
        std::set<std::string> lines;
        for (const claimed_event& each : it.events)
            lines.insert(line_of(each));
        for (const settled_event& each : it.settled)
            lines.insert(line_of(each));
        for (const std::string& each : lines)
            out << "\n  " << each;
    }
    void operator()(const append_reply& it) {
        for (const receipt& each : it.receipts)
            out << "append " << each.id << ' ' << each.seq;
    }
    void operator()(const transact_reply&) { out << "transact"; }
    void operator()(const operator_reply& it) { out << "operator " << it.answer << ' ' << it.at; }
    void operator()(const pause_reply&) { out << "pause"; }
};

std::string text_of(const reply& said) {
    std::ostringstream out;
    out << std::boolalpha;
    std::visit(describe{out}, said);
    return out.str();
}

void agreement::say(const operation& what) {
    const reply ours = subject->commit(std::span(&what, 1)).at(0);
    const reply theirs = reference->commit(std::span(&what, 1)).at(0);
    story = text_of(theirs);
    ASSERT_EQ(text_of(ours), story);
    if (const auto* taken = std::get_if<claim_reply>(&theirs)) {
        for (const claimed_event& each : taken->events)
            claims.push_back(each.key);
    }
}

void agreement::compare_events() {
    for (const event_status& theirs : reference->list({})) {
        const event_status ours = status(theirs.id);
        ASSERT_EQ(all_of(ours), all_of(theirs)) << theirs.id << " after " << story;
        ASSERT_EQ(ours.row, theirs.row) << theirs.id << " after " << story;
        ASSERT_EQ(subject->attempts(theirs.id), reference->attempts(theirs.id))
            << theirs.id << " after " << story;
    }
    const store_stats ours = subject->stats();
    const store_stats theirs = reference->stats();
    EXPECT_EQ(ours.lanes_blocked, theirs.lanes_blocked) << "after " << story;
    EXPECT_EQ(ours.uncertain, theirs.uncertain) << "after " << story;
    EXPECT_EQ(ours.resends_avoided, theirs.resends_avoided) << "after " << story;
    for (const auto& [name, counts] : theirs.destinations) {
        EXPECT_EQ(ours.destinations.at(name).events, counts.events) << "after " << story;
    }
}

operation agreement::random_append() {
    draft event("billing", "{}");
    event.id = "e-" + std::to_string(++appended);
    if (!one_in(4)) event.key = any_of(std::vector<std::string>{"k", "l"});
    if (one_in(4)) event.delay = 5s;
    if (one_in(6)) event.lifetime = 40s;
    if (one_in(6)) event.attempts_max = 1 + up_to(2);
    return append_request{{event}};
}

operation agreement::random_ack() {
    const std::vector<outcome> outcomes{outcome::delivered, outcome::retry, outcome::rejected,
                                        outcome::uncertain, outcome::released};
    ack_request request = an_ack(any_of(claims), any_of(outcomes));
    request.command.after = one_in(2) ? 0s : 3s;
    request.command.hold_uncertain = one_in(4);
    request.dead_head = one_in(2) ? on_dead::skip : on_dead::block;
    return request;
}

operation agreement::random_renewal() {
    renew_request request;
    request.command.key = any_of(claims);
    request.command.lease = lease;
    request.limits = limits;
    return request;
}

operation agreement::random_act() {
    operator_request request;
    request.id = "e-" + std::to_string(1 + up_to(appended));
    request.act = any_of(std::vector<operator_act>{operator_act::park, operator_act::unpark,
                                                   operator_act::unpark, operator_act::cancel,
                                                   operator_act::replay, operator_act::replay});
    request.include_delivered = one_in(3);
    return request;
}

// As a dispatcher does it: a suspect is asked for only when nothing else is in flight.
void agreement::claim_all() {
    claim_request request = everything(any_of(std::vector<std::string>{"one", "two"}));
    say(request);
    list_filter claimed;
    claimed.at = state::claimed;
    if (HasFatalFailure() || !reference->list(claimed).empty()) return;
    request.alone = true;
    say(request);
}

void agreement::move_time() {
    time.advance(any_of(std::vector<milliseconds>{1ms, 1s, 3s, 5s, 10s}));
    if (!one_in(10)) return;
    // Between two that write, since those that write nothing need not remember the clock.
    say(random_append());
    time.step_wall(any_of(std::vector<milliseconds>{30s, -30s, 5s, -5s}));
    say(random_append());
}

void agreement::converse(unsigned seed, int steps) {
    random.seed(seed);
    subject = GetParam().make(time);
    reference = std::make_unique<memory_store>(time);
    appended = 0;
    claims.clear();
    say(random_append());
    time.reboot();
    say(random_append());
    for (int step = 0; step < steps && !HasFatalFailure(); ++step) {
        switch (up_to(11)) {
            case 0:
            case 1:
                say(random_append());
                break;
            case 2:
            case 3:
            case 4:
                claim_all();
                break;
            case 5:
                say(random_act());
                break;
            case 6:
                move_time();
                break;
            case 7:
                if (!claims.empty()) say(random_renewal());
                break;
            default:
                if (!claims.empty()) say(random_ack());
                break;
        }
        if (!HasFatalFailure()) compare_events();
    }
}

TEST_P(agreement, a_long_random_dialogue_goes_the_same_way) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        converse(seed, 60);
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace leasebox::testing
