// The dispatcher's decisions, without any I/O: what happened goes in, the next step comes out.
#pragma once

#include <cstdint>
#include <optional>

#include "leasebox/core/budget.hpp"
#include "leasebox/store.hpp"

namespace leasebox::dispatch {

/// What the claimer does next.
struct step {
    enum class kind : std::uint8_t {
        claim,    ///< ask the store for up to `count` events
        wait,     ///< until something happens, or until `until`
        drained,  ///< nothing is in flight, and nothing more will be claimed
    };
    kind what = kind::wait;
    int count = 0;
    bool alone = false;  ///< nothing else is in flight: a suspect may be taken
    std::optional<boot_time> until;
};

struct plan_limits {
    int in_flight = 64;
    int claim_max = 64;
    bool until_idle = false;  ///< drained as soon as nothing can move any more
};

class plan {
public:
    explicit plan(plan_limits limits) : limits_(limits) {}

    // What happened.
    void woken() { look_ = true; }          ///< something may have become due
    void stopping() { stopping_ = true; }   ///< claim nothing more
    /// An event ended; `left_behind`: its destination had more than it was allowed to send.
    void slot_freed(bool left_behind);
    void suspect_ended() {
        suspect_runs_ = false;
        look_ = true;
    }
    /// Something can move from `at` on: a retry, or a destination that was held back.
    void due(boot_time at);
    /// A claim is about to be asked for; what wakes us from now on it may have missed.
    void asking() { look_ = false; }
    /// When the earliest of the destinations that take nothing now will take something again;
    /// replaces what was said before.
    void opens(std::optional<boot_time> at) { opens_at_ = at; }
    /// Every destination is paused, so that nothing can move.
    void paused(bool all) { paused_ = all; }
    /// `asked` events were asked for, `now` is when the reply came.
    void claimed(const claim_reply& reply, int asked, boot_time now);
    void claim_failed(boot_time now);

    /// The next step. `in_flight` counts events being sent or settled; `can_take` says whether
    /// any destination has a free slot.
    step next(int in_flight, bool can_take, boot_time now) const;

    /// Nothing is due as far as the last look told.
    bool is_quiet(boot_time now) const {
        return paused_ || (!look_ && !suspect_waits_ && !is_due(now));
    }

private:
    bool is_due(boot_time now) const { return due_at_ && *due_at_ <= now; }
    step waiting(boot_time now) const;

    plan_limits limits_;
    bool look_ = true;
    bool more_ = false;  ///< the last claim left something behind for want of slots
    bool seen_idle_ = false;  ///< the last look found nothing to take
    bool stopping_ = false;
    bool suspect_waits_ = false;
    bool suspect_runs_ = false;
    int failures_ = 0;
    std::optional<boot_time> retry_at_;  ///< the store failed: not before
    std::optional<boot_time> due_at_;
    std::optional<boot_time> opens_at_;
    bool paused_ = false;
};

}  // namespace leasebox::dispatch
