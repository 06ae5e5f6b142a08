#include "testing/memory_claim.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace leasebox::testing {
namespace {

// Expired claims first, then the oldest.
bool goes_before(const memory_event* left, const memory_event* right) {
    const auto rank = [](const memory_event& event) {
        return std::tuple(event.row.at != state::claimed, event.due_at(), event.seq);
    };
    return rank(*left) < rank(*right);
}

claimed_event handed_out(const memory_event& event, const budgets& limits) {
    claimed_event out;
    out.key = claim_key(event.id, event.row.owner, event.row.generation);
    out.seq = event.seq;
    out.attempt = event.row.attempts;
    out.claimed_at = event.row.claimed_at;
    out.lease_until = event.row.lease_until;
    out.destination = event.destination;
    out.lane = event.key;
    out.lane_seq = event.lane_seq;
    out.type = event.type.value_or(std::string());
    out.content_type = event.content_type;
    out.headers = event.headers;
    out.payload = event.payload;
    out.appended_at = event.appended_at;
    out.expiries = event.row.expiries;
    out.uncertain = event.row.uncertain;
    out.suspect = is_suspect(event.row, limits);
    return out;
}

}  // namespace

memory_claim::memory_claim(memory_events& events, const claim_request& request,
                           std::int64_t generation, store_time now, std::string& rotor)
    : events_(events),
      request_(request),
      command_{request.owner, generation, request.lease},
      now_(now),
      rotor_(rotor),
      left_(request.limit) {
    for (const destination_quota& each : request.destinations) {
        quotas_[each.destination] = {each.slots, each.dead_head};
    }
}

claim_reply memory_claim::take() {
    reply_.now = now_;
    if (request_.alone) take_suspect();
    if (reply_.events.empty()) share_out();
    reply_.next_due = next_due();
    return std::move(reply_);
}

bool memory_claim::is_served(const memory_event& event) const {
    return request_.any_destination || quotas_.count(event.destination) != 0;
}

memory_claim::quota& memory_claim::quota_of(const memory_event& event) {
    if (!request_.any_destination) return quotas_.at(event.destination);
    const quota none{std::numeric_limits<int>::max(), on_dead::block};
    return quotas_.try_emplace(event.destination, none).first->second;
}

std::vector<memory_event*> memory_claim::due() {
    std::vector<memory_event*> found;
    for (memory_event* each : events_.movable()) {
        if (!is_due(each->row, now_) || !is_served(*each) || quota_of(*each).slots < 1) continue;
        if (left_alone_.count(each->seq) == 0) found.push_back(each);
    }
    std::sort(found.begin(), found.end(), goes_before);
    return found;
}

// The first due event of the destination whose turn it is.
memory_event* memory_claim::next_in_turn() {
    std::map<std::string, memory_event*> first;
    for (memory_event* each : due())
        first.emplace(each->destination, each);
    if (first.empty()) return nullptr;
    auto turn = first.upper_bound(rotor_);
    if (turn == first.end()) turn = first.begin();
    return turn->second;
}

// At most one of a destination, and no other one after one was handed out.
void memory_claim::take_suspect() {
    std::set<std::string> asked;
    for (memory_event* each : due()) {
        if (!must_be_alone(*each) || !asked.insert(each->destination).second) continue;
        take_event(*each);
        if (!reply_.events.empty()) return;
    }
}

void memory_claim::share_out() {
    while (left_ > 0) {
        memory_event* next = next_in_turn();
        if (next == nullptr) return;
        rotor_ = next->destination;
        if (must_be_alone(*next)) {
            leave_suspect(*next);
        } else {
            take_event(*next);
        }
    }
}

void memory_claim::take_event(memory_event& event) {
    const transition done = apply_claim(event.with_history(), command_, request_.limits, now_);
    if (event.row.at == state::claimed) reply_.expired += 1;
    if (done.row.at == state::claimed) {
        hand_out(event, done);
    } else {
        settle(event, done);
    }
}

// Judged by what the event is once its expired claim is closed. One that its expiry convicts, or
// that is proven to be delivered, can do no harm any more.
bool memory_claim::must_be_alone(const memory_event& event) const {
    const event_row row = event.with_history();
    if (row.at == state::pending) return is_suspect(row, request_.limits);
    const claim_key lost(event.id, row.owner, row.generation);
    const event_row closed = apply_expire(row, lost, now_).row;
    return is_suspect(closed, request_.limits) && closed.expiries < request_.limits.expiries_max &&
           closed.evidence_generation == 0;
}

// An expired claim is closed all the same; only the event waits until nothing else is in flight.
void memory_claim::leave_suspect(memory_event& event) {
    if (event.row.at == state::claimed) {
        reply_.expired += 1;
        const claim_key lost(event.id, event.row.owner, event.row.generation);
        events_.save(event, apply_expire(event.with_history(), lost, now_), on_dead::block);
    }
    left_alone_.insert(event.seq);
    reply_.suspect_waits = true;
}

void memory_claim::settle(memory_event& event, const transition& done) {
    events_.save(event, done, quota_of(event).dead_head);
    reply_.settled.push_back({event.id, event.destination, done.row.at, done.row.why, done.row.how,
                              command_.generation, done.row.attempts});
}

void memory_claim::hand_out(memory_event& event, const transition& done) {
    events_.save(event, done, quota_of(event).dead_head);
    reply_.events.push_back(handed_out(event, request_.limits));
    reply_.events.back().lane_gap = events_.gap_before(event);
    quota_of(event).slots -= 1;
    left_ -= 1;
}

// A destination whose slots are full is left out: it is asked again when one becomes free.
std::optional<store_time> memory_claim::next_due() {
    std::optional<store_time> next;
    for (const memory_event* each : events_.movable()) {
        if (!is_served(*each) || quota_of(*each).slots < 1) continue;
        if (!next || each->due_at() < *next) next = each->due_at();
    }
    return next;
}

}  // namespace leasebox::testing
