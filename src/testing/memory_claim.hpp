// One claim on a memory store, from the request to the reply.
#pragma once

#include <map>
#include <set>
#include <string>

#include "testing/memory_events.hpp"

namespace leasebox::testing {

class memory_claim {
public:
    /// `rotor` is the destination that had the last turn, in this claim or an earlier one.
    memory_claim(memory_events& events, const claim_request& request, std::int64_t generation,
                 store_time now, std::string& rotor);

    /// The generation was spent where anything was handed out or settled.
    claim_reply take();

private:
    struct quota {
        int slots = 0;
        on_dead dead_head = on_dead::block;
    };

    bool is_served(const memory_event& event) const;
    quota& quota_of(const memory_event& event);
    std::vector<memory_event*> due();
    memory_event* next_in_turn();
    bool must_be_alone(const memory_event& event) const;
    void take_suspect();
    void share_out();
    void take_event(memory_event& event);
    void leave_suspect(memory_event& event);
    void settle(memory_event& event, const transition& done);
    void hand_out(memory_event& event, const transition& done);
    std::optional<store_time> next_due();

    memory_events& events_;
    const claim_request& request_;
    const claim_command command_;
    const store_time now_;
    std::string& rotor_;
    int left_;
    std::map<std::string, quota> quotas_;
    std::set<std::int64_t> left_alone_;  ///< suspects that wait, by seq
    claim_reply reply_;
};

}  // namespace leasebox::testing
