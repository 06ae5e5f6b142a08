// The deliverer: one claimed event, from its send to the store's verdict.
#include <boost/asio/post.hpp>

#include "dispatch/ask.hpp"
#include "dispatch/engine.hpp"
#include "dispatch/settle.hpp"

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;

// Between two tries to write down how an attempt ended, while the store fails.
constexpr backoff report_backoff{50ms, 1s};

// How long a sink may take to end after it was cancelled, before it is left behind.
constexpr milliseconds grace_max{1000};

}  // namespace

boost::asio::awaitable<void> engine::deliver(std::shared_ptr<attempt> running,
                                             std::shared_ptr<attempt> older,
                                             boot_time lease_end, flow_ticket ticket) {
    const boot_time began = clock_.now();
    const delivery said = co_await send(running, std::move(older), lease_end);
    attempts_.erase(running);
    learn(running->event(), said, ticket);
    co_await settle(running->event(), said, clock_.now() - began);
}

// `older` is this process's own attempt of an earlier claim, which it lost while the store was
// away or the host asleep and has not written down yet.
boost::asio::awaitable<delivery> engine::send(std::shared_ptr<attempt> running,
                                              std::shared_ptr<attempt> older,
                                              boot_time lease_end) {
    const boot_time end = lease_end - options_.lease_margin;
    if (older) co_await older->wait(strand_, end);
    if (older && older->said() && older->said()->what.result == outcome::delivered) {
        delivery known = *older->said();
        known.what.how = cause::evidence;
        co_return known;
    }
    const boot_time now = clock_.now();
    const boot_time deadline = std::min(now + options_.attempt_timeout, end);
    if (hard_ || deadline <= now) {
        co_return delivery(outcome::released, hard_ ? "the dispatcher stops"
                                                    : "too little of the lease was left to send");
    }
    co_return co_await running->run(strand_, deadline,
                                    std::min(grace_max, options_.lease_margin / 2));
}

// Tells the store how the attempt ended, for as long as it takes: the slot stays taken, so that
// nothing is sent that could not be settled. Only a hard stop gives up, after a while; the lease
// then runs out by itself.
boost::asio::awaitable<void> engine::settle(const claimed_event& event, const delivery& said,
                                            std::chrono::nanoseconds took) {
    const destination_options how = destinations_[event.destination].how;
    const ack_request request = make_ack(event, said, options_, how, random_(), stopping_);
    for (int failures = 1;; ++failures) {
        operation what = request;
        const reply got = co_await ask(*actor_, std::move(what));
        if (const auto* judged = std::get_if<ack_reply>(&got)) {
            note_ack(event, said, *judged, took);
            expect(event, request, *judged);
            co_return;
        }
        const bool stopped = std::get<failure>(got).code == errc::stopped;
        if (stopped || (hard_ && clock_.now() >= give_up_at_)) co_return;
        co_await pause(report_backoff.bound(failures));
    }
}

boost::asio::awaitable<void> engine::pause(milliseconds length) {
    condition over(strand_);
    const auto alarm = clock_.make_timer(strand_);
    bool fired = false;
    alarm->arm(clock_.now() + length, [&] {
        fired = true;
        over.notify();
    });
    while (!fired) co_await over.wait();
}

// What the answer says about its whole destination.
void engine::learn(const claimed_event& event, const delivery& said, const flow_ticket& ticket) {
    destination& one = destinations_[event.destination];
    const boot_time now = clock_.now();
    const milliseconds length = hold_of(said, options_.retry);
    const bool held = length.count() > 0;
    if (held) one.course.hold(now + length);
    const sign what = sign_of(said, held);
    note_change(event, one.course.answered(ticket, what, now, random_()), said);
    if (said.gone && one.how.gone == on_gone::pause && one.course.pause()) pause_gone(event);
    publish(event.destination, one);
}

void engine::pause_gone(const claimed_event& event) {
    record what;
    what.what = occurrence::destination_paused;
    what.level = severity::warning;
    what.event = event.key.id;
    what.destination = event.destination;
    what.detail = "it answered 410; its backlog is kept";
    note(what);
    // For every dispatcher, and after a restart. Once the store has it, the store alone decides,
    // so that resuming there is enough.
    actor_->post(pause_request{event.destination, true},
                 [self = shared_from_this(), name = event.destination](const reply& got) {
                     if (std::holds_alternative<failure>(got)) return;
                     boost::asio::post(self->strand_, [self, name] {
                         self->destinations_[name].course.resume();
                         self->wake();
                     });
                 });
}

void engine::note_change(const claimed_event& event, breaker::change changed,
                         const delivery& said) {
    if (changed == breaker::change::none) return;
    const bool opened = changed == breaker::change::opened;
    record what;
    what.what = opened ? occurrence::circuit_opened : occurrence::circuit_closed;
    what.level = opened ? severity::warning : severity::info;
    what.event = event.key.id;
    what.destination = event.destination;
    what.http_status = said.what.http_status;
    what.detail = said.what.detail;
    note(what);
}

// What the report made possible: its own retry, or the next event of its lane.
void engine::expect(const claimed_event& event, const ack_request& sent, const ack_reply& reply) {
    const bool waits = reply.answer == verdict::accepted && reply.at == state::pending;
    if (waits) plan_.due(clock_.now() + sent.command.after);
    if (!waits && (event.lane || reply.answer != verdict::accepted)) plan_.woken();
}

void engine::ended(const std::shared_ptr<attempt>& running, const flow_ticket& ticket) {
    const claimed_event& event = running->event();
    attempts_.erase(running);
    const auto newest = newest_.find(event.key.id);
    if (newest != newest_.end() && newest->second == running) newest_.erase(newest);
    destination& one = destinations_[event.destination];
    one.course.ended(ticket);
    publish(event.destination, one);
    in_flight_ -= 1;
    if (event.suspect) plan_.suspect_ended();
    plan_.slot_freed(one.left_behind);
    publish();
    wake();
}

void engine::note_ack(const claimed_event& event, const delivery& said, const ack_reply& reply,
                      std::chrono::nanoseconds took) const {
    if (!observer_) return;
    const bool good = reply.answer == verdict::accepted && said.what.result == outcome::delivered;
    record what;
    what.what = said.threw ? occurrence::sink_failed : occurrence::acknowledged;
    what.level = good ? severity::debug : severity::warning;
    what.event = event.key.id;
    what.destination = event.destination;
    if (event.lane) what.key = *event.lane;
    what.owner = event.key.owner;
    what.generation = event.key.generation;
    what.attempt = event.attempt;
    what.result = said.what.result;
    what.answer = reply.answer;
    if (reply.current) what.current_generation = reply.current->generation;
    what.evidence_kept = reply.evidence_kept;
    what.at = reply.at;
    what.why = reply.why;
    what.http_status = said.what.http_status;
    what.took = took;
    what.detail = said.what.detail;
    note(what);
}

}  // namespace leasebox::dispatch
