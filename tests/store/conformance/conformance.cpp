#include "conformance.hpp"

#include <sstream>

namespace leasebox::testing {

std::vector<store_factory>& store_factories() {
    static std::vector<store_factory> all;
    return all;
}

bool register_store(store_factory factory) {
    store_factories().push_back(std::move(factory));
    return true;
}

void PrintTo(const store_factory& factory, std::ostream* out) {
    *out << factory.name;
}

std::string name_of(const ::testing::TestParamInfo<store_factory>& info) {
    return info.param.name;
}

std::vector<std::string> ids_of(const claim_reply& reply) {
    std::vector<std::string> ids;
    for (const claimed_event& each : reply.events)
        ids.push_back(each.key.id);
    return ids;
}

conformance::conformance() : subject(GetParam().make(time)) {}

std::vector<reply> conformance::run_all(const std::vector<operation>& batch) {
    return subject->commit(batch);
}

receipt conformance::append(const draft& event) {
    return run<append_reply>(append_request{{event}}).receipts.at(0);
}

receipt conformance::append(const std::string& id, const std::string& destination) {
    draft event(destination, "{}");
    event.id = id;
    return append(event);
}

receipt conformance::append_keyed(const std::string& id, const std::string& key,
                                  const std::string& destination) {
    draft event(destination, "{}");
    event.id = id;
    event.key = key;
    return append(event);
}

failure conformance::append_failing(const draft& event) {
    return run<failure>(append_request{{event}});
}

claim_request conformance::everything(const std::string& owner) const {
    claim_request request;
    request.owner = owner;
    request.limit = 100;
    request.lease = lease;
    request.limits = limits;
    request.any_destination = true;
    return request;
}

claim_reply conformance::claim(const std::string& owner) {
    return run<claim_reply>(everything(owner));
}

claim_reply conformance::claim_alone(const std::string& owner) {
    claim_request request = everything(owner);
    request.alone = true;
    return run<claim_reply>(request);
}

claimed_event conformance::claim_one(const std::string& owner) {
    const claim_reply taken = claim(owner);
    EXPECT_EQ(taken.events.size(), 1U) << "exactly one event should be due";
    return taken.events.at(0);
}

ack_request conformance::an_ack(const claim_key& key, outcome result) const {
    ack_request request;
    request.command.key = key;
    request.command.what = report(result);
    request.limits = limits;
    return request;
}

ack_reply conformance::ack(const claim_key& key, outcome result) {
    return run<ack_reply>(an_ack(key, result));
}

renew_reply conformance::renew(const claim_key& key, milliseconds by) {
    renew_request request;
    request.command.key = key;
    request.command.lease = by;
    request.limits = limits;
    return run<renew_reply>(request);
}

operator_reply conformance::act(const std::string& id, operator_act what, bool include_delivered) {
    operator_request request;
    request.id = id;
    request.act = what;
    request.include_delivered = include_delivered;
    return run<operator_reply>(request);
}

event_status conformance::status(const std::string& id) {
    std::optional<event_status> found = subject->status(id);
    EXPECT_TRUE(found) << id << " should exist";
    return std::move(found).value();
}

std::string conformance::all_of(const event_status& found) {
    const event_row& at = found.row;
    const auto ms = [](const std::optional<store_time>& when) { return when ? to_ms(*when) : -1; };
    std::ostringstream out;
    out << found.seq << ' ' << at.at << ' ' << at.why.value_or(reason{}) << ' '
        << at.how.value_or(cause{}) << " attempts " << at.attempts << " expiries " << at.expiries
        << " renewals " << at.renewals << " generation " << at.generation << " owner " << at.owner
        << " claimed " << to_ms(at.claimed_at) << " until " << to_ms(at.lease_until)
        << " not_before " << to_ms(at.not_before) << " budget " << to_ms(at.budget_from)
        << " deadline " << ms(at.deadline) << " max " << at.attempts_max.value_or(0)
        << " uncertain " << at.uncertain << " last " << at.last_outcome.value_or(outcome{}) << ' '
        << at.http_status << ' ' << at.last_error << " ended " << ms(at.ended_at) << " settled "
        << ms(at.settled_at) << " replays " << at.replays << " floor " << at.evidence_floor;
    return out.str();
}

claimed_event conformance::claim_and_crash(const std::string& owner) {
    claimed_event lost = claim_one(owner);
    let_lease_run_out();
    return lost;
}

}  // namespace leasebox::testing
