#include "dispatch/flow.hpp"

#include <algorithm>

namespace leasebox::dispatch {
namespace {

// Wrong credentials hit every event, whether or not the answer is listed as a rejection.
bool is_refused_credential(int http_status) { return http_status == 401 || http_status == 403; }

}  // namespace

sign sign_of(const delivery& said, bool held) {
    const report& what = said.what;
    if (what.result == outcome::released || said.soon || held) return sign::nothing;
    if (what.result == outcome::delivered) {
        return what.how == cause::evidence ? sign::nothing : sign::well;
    }
    const bool rejected = what.result == outcome::rejected;
    return rejected && !is_refused_credential(what.http_status) ? sign::well : sign::failing;
}

flow::flow(const destination_options& how)
    : most_(how.in_flight),
      adaptive_(how.in_flight, how.adaptive),
      breaker_(how.breaker) {
    if (how.rate) rate_.emplace(*how.rate);
}

void flow::reset(const destination_options& how) {
    const int in_flight = in_flight_;
    const boot_time held_until = held_until_;
    *this = flow(how);
    in_flight_ = in_flight;
    held_until_ = held_until;
}

// By what is in flight.
int flow::slots() const {
    if (breaker_.is_closed()) return std::max(0, adaptive_.now() - in_flight_);
    // What hangs from before the circuit opened may fill the shrunk limit; the probe goes all
    // the same.
    return !breaker_.is_probing() && in_flight_ < most_ ? 1 : 0;
}

// By what was started lately.
int flow::allowance(boot_time now) const {
    const int by_rate = rate_ ? rate_->available(now) : ramp::unlimited;
    return std::min(by_rate, ramp_.available(now));
}

boot_time flow::held_until() const {
    const std::optional<boot_time> open = breaker_.open_until();
    return open ? std::max(held_until_, *open) : held_until_;
}

int flow::free_slots(boot_time now) const {
    if (paused_ || held_until() > now) return 0;
    return std::min(slots(), allowance(now));
}

std::optional<boot_time> flow::opens_at(boot_time now) const {
    if (paused_ || slots() == 0 || free_slots(now) > 0) return std::nullopt;
    boot_time at = std::max(held_until(), ramp_.next(now));
    if (rate_) at = std::max(at, rate_->next());
    return at;
}

bool flow::is_rationed(boot_time now) const {
    return !paused_ && held_until() <= now && slots() > 0 && allowance(now) == 0;
}

flow_ticket flow::started(boot_time now) {
    in_flight_ += 1;
    if (rate_) rate_->take(now);
    ramp_.started(now);
    return {breaker_.started(now), now};
}

breaker::change flow::answered(const flow_ticket& which, sign what, boot_time now,
                               std::uint64_t random) {
    if (what == sign::nothing) {
        breaker_.forget(which.number);
        return breaker::change::none;
    }
    const bool failed = what == sign::failing;
    failed ? adaptive_.failed() : adaptive_.succeeded(now - which.began);
    const breaker::change changed = breaker_.ended(which.number, failed, now, random);
    if (changed == breaker::change::closed) {
        adaptive_.restart();
        ramp_.begin(now);
    }
    return changed;
}

void flow::ended(const flow_ticket& which) {
    in_flight_ -= 1;
    // An attempt that broke off without an answer must not keep the probe's place for ever.
    breaker_.forget(which.number);
}

void flow::hold(boot_time until) { held_until_ = std::max(held_until_, until); }

flow_view flow::view() const {
    return {in_flight_, adaptive_.now(), paused_, held_until_, breaker_.open_until()};
}

destination_status flow_view::at(boot_time now) const {
    destination_status state;
    state.in_flight = in_flight;
    state.limit = limit;
    state.circuit = !open_until         ? circuit_state::closed
                    : *open_until > now ? circuit_state::open
                                        : circuit_state::half_open;
    state.held = held_until > now;
    state.paused = paused;
    return state;
}

}  // namespace leasebox::dispatch
