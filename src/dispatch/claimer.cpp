// The claimer: performs what the plan says until it says that all is done.
#include <boost/asio/co_spawn.hpp>

#include "dispatch/ask.hpp"
#include "dispatch/engine.hpp"

namespace leasebox::dispatch {

boost::asio::awaitable<void> engine::claim_loop() {
    while (true) {
        const step next = next_step();
        if (next.what == step::kind::drained) break;
        if (next.what == step::kind::claim) {
            co_await claim(next);
            continue;
        }
        if (is_quiet()) complete_flushes({});
        co_await wait_until(next.until);
    }
}

step engine::next_step() {
    const boot_time now = clock_.now();
    const openings open = look_at_destinations(now);
    if (open.left_behind) plan_.woken();
    plan_.opens(open.next);
    plan_.paused(open.paused);
    return plan_.next(in_flight_, open.any, now);
}

engine::openings engine::look_at_destinations(boot_time now) const {
    openings open;
    open.paused = !destinations_.empty();
    for (const auto& [name, one] : destinations_) {
        const bool takes = one.course.free_slots(now) > 0;
        open.any = open.any || takes;
        open.left_behind = open.left_behind || (takes && one.left_behind);
        open.rationed = open.rationed || (one.left_behind && one.course.is_rationed(now));
        open.paused = open.paused && one.course.is_paused();
        const auto at = one.course.opens_at(now);
        if (at && (!open.next || *at < *open.next)) open.next = at;
    }
    return open;
}

bool engine::is_quiet() const {
    const boot_time now = clock_.now();
    if (in_flight_ > 0 || look_at_destinations(now).rationed) return false;
    return plan_.is_quiet(now);
}

boost::asio::awaitable<void> engine::wait_until(std::optional<boot_time> until) {
    if (until) {
        wake_timer_->arm(*until, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->wake();
        });
    }
    co_await wake_.wait();
    wake_timer_->cancel();
}

boost::asio::awaitable<void> engine::claim(step next) {
    // The lease is counted from before it is asked for, so that ours ends before the store's.
    const boot_time asked_at = clock_.now();
    plan_.asking();
    const claim_request request = make_request(next, asked_at);
    operation what = request;
    reply got = co_await ask(*actor_, std::move(what));
    if (auto* taken = std::get_if<claim_reply>(&got)) {
        plan_.claimed(*taken, next.count, clock_.now());
        note_left_behind(request, *taken);
        take(*taken, asked_at + options_.lease);
    } else {
        plan_.claim_failed(clock_.now());
    }
}

claim_request engine::make_request(const step& next, boot_time now) const {
    claim_request request;
    request.owner = owner_;
    request.limit = next.count;
    request.lease = options_.lease;
    request.limits = options_.limits;
    request.alone = next.alone;
    for (const auto& [name, one] : destinations_) {
        const int slots = one.course.free_slots(now);
        if (slots > 0) request.destinations.push_back({name, slots, one.how.dead_head});
    }
    return request;
}

// Where a destination took all that it was allowed to, or was not asked for, there may be more:
// its next free slot is a reason to look again.
void engine::note_left_behind(const claim_request& asked, const claim_reply& taken) {
    std::map<std::string_view, int> counts;
    for (const claimed_event& event : taken.events)
        counts[event.destination] += 1;
    for (auto& [name, one] : destinations_) one.left_behind = true;
    for (const destination_quota& quota : asked.destinations) {
        destinations_[quota.destination].left_behind = counts[quota.destination] >= quota.slots;
    }
}

void engine::take(claim_reply& taken, boot_time lease_end) {
    note_taken(taken);
    for (claimed_event& event : taken.events)
        start(std::move(event), lease_end);
    publish();
}

void engine::start(claimed_event event, boot_time lease_end) {
    destination& one = destinations_[event.destination];
    const flow_ticket ticket = one.course.started(clock_.now());
    publish(event.destination, one);
    in_flight_ += 1;
    auto running = std::make_shared<attempt>(strand_, clock_, one.to, std::move(event));
    attempts_.insert(running);
    auto older = std::exchange(newest_[running->event().key.id], running);
    boost::asio::co_spawn(strand_, deliver(running, std::move(older), lease_end, ticket),
                          [self = shared_from_this(), running, ticket](std::exception_ptr failed) {
                              if (failed)
                                  self->note_simple(occurrence::sink_failed, severity::error);
                              self->ended(running, ticket);
                          });
}

void engine::note_taken(const claim_reply& taken) const {
    if (!observer_) return;
    for (const settled_event& gone : taken.settled) {
        record what;
        what.what = occurrence::settled;
        what.level = gone.at == state::dead ? severity::warning : severity::info;
        what.event = gone.id;
        what.destination = gone.destination;
        what.generation = gone.generation;
        what.attempt = gone.attempts;
        what.at = gone.at;
        what.why = gone.why;
        what.how = gone.how;
        note(what);
    }
    for (const claimed_event& event : taken.events) {
        record what;
        what.what = occurrence::claimed;
        what.level = severity::debug;
        what.event = event.key.id;
        what.destination = event.destination;
        if (event.lane) what.key = *event.lane;
        what.owner = event.key.owner;
        what.generation = event.key.generation;
        what.attempt = event.attempt;
        note(what);
    }
    if (taken.expired > 0) {
        record what;
        what.what = occurrence::expired;
        what.level = severity::warning;
        what.owner = owner_;
        what.count = taken.expired;
        note(what);
    }
}

}  // namespace leasebox::dispatch
