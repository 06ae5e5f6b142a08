// Why an event is where it is.
#pragma once

#include <optional>
#include <string>

#include "leasebox/core/model.hpp"

namespace leasebox {

/// What else decides about an event beside its own row.
struct surroundings {
    bool destination_paused = false;
    /// The first event of its lane, where that is another one.
    std::optional<std::string> head_id;
    event_row head;
};

struct explanation {
    std::string code;    ///< due, not_before, lane_blocked_by, leased, destination_paused, parked,
                         ///< settled
    std::string detail;  ///< one sentence
    std::optional<std::string> by;    ///< the event that blocks the lane
    std::optional<store_time> until;  ///< when it may change by itself, where that is known
};

/// Pure. What only a running dispatcher knows (that it serves the destination, that its circuit is
/// open) is not in it.
explanation explain(const event_row& row, const surroundings& around, store_time now);

}  // namespace leasebox
