// How much of one destination may be sent, and when that may change. Pure: time and chance come
// in.
#pragma once

#include <optional>
#include <utility>

#include "dispatch/adaptive_limit.hpp"
#include "dispatch/breaker.hpp"
#include "dispatch/ramp.hpp"
#include "dispatch/token_bucket.hpp"
#include "leasebox/dispatcher.hpp"

namespace leasebox::dispatch {

/// What an attempt's end says about its destination.
enum class sign : std::uint8_t {
    well,     ///< the consumer answers, be it with a rejection
    failing,  ///< it does not answer, or not in a way that helps any event
    nothing,  ///< it never was asked, still works, or said when it wants to be asked again
};

/// `held`: the answer already keeps the whole destination back.
sign sign_of(const delivery& said, bool held);

/// An attempt, as its destination's flow knows it.
struct flow_ticket {
    std::uint64_t number = 0;
    boot_time began{};
};

/// What others may know of a flow, without its strand: only time changes it further.
struct flow_view {
    int in_flight = 0;
    int limit = 0;
    bool paused = false;
    boot_time held_until{};
    std::optional<boot_time> open_until = {};

    destination_status at(boot_time now) const;
};

class flow {
public:
    explicit flow(const destination_options& how = {});

    /// Other options from now on. What is in flight stays so; a pause ends.
    void reset(const destination_options& how);

    /// Events that may be started now.
    int free_slots(boot_time now) const;
    /// When free_slots() becomes more than 0 by the passing of time alone. Empty where it is so
    /// already, or where something else must happen first.
    std::optional<boot_time> opens_at(boot_time now) const;
    /// Only the rate keeps it back: what waits is due.
    bool is_rationed(boot_time now) const;
    bool is_paused() const { return paused_; }

    flow_ticket started(boot_time now);
    /// The send is over and said something; its slot is still taken.
    breaker::change answered(const flow_ticket& which, sign what, boot_time now,
                             std::uint64_t random);
    /// The attempt is settled: its slot is free.
    void ended(const flow_ticket& which);
    /// The consumer asked to be left alone until then.
    void hold(boot_time until);
    /// The consumer wants nothing any more; false where it was paused already.
    bool pause() { return !std::exchange(paused_, true); }
    void resume() { paused_ = false; }

    flow_view view() const;

private:
    int slots() const;
    int allowance(boot_time now) const;
    boot_time held_until() const;

    int most_;
    adaptive_limit adaptive_;
    breaker breaker_;
    ramp ramp_;
    std::optional<token_bucket> rate_;
    boot_time held_until_{};
    bool paused_ = false;
    int in_flight_ = 0;
};

}  // namespace leasebox::dispatch
