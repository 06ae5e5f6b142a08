#include "leasebox/core/explain.hpp"

namespace leasebox {
namespace {

std::string text(std::string_view word) { return std::string(word); }

explanation settled(const event_row& row) {
    std::string detail = "it is " + text(to_string(row.at));
    if (row.why) detail += ", because of " + text(to_string(*row.why));
    if (row.how) detail += ", as known by " + text(to_string(*row.how));
    if (row.at == state::dead) detail += "; replay it to send it again";
    return {"settled", detail, std::nullopt, std::nullopt};
}

explanation claimed(const event_row& row, store_time now) {
    if (row.lease_until <= now) {
        return {"due", "the lease of " + row.owner + " has ended; the next claim takes it",
                std::nullopt, std::nullopt};
    }
    return {"leased",
            row.owner + " holds it under generation " + std::to_string(row.generation),
            std::nullopt, row.lease_until};
}

explanation behind(const surroundings& around) {
    const event_row& head = around.head;
    explanation why{"lane_blocked_by", {}, around.head_id, std::nullopt};
    why.detail = "event " + *around.head_id + " of its lane goes first and is " +
                 text(to_string(head.at));
    if (head.at == state::dead) why.detail += "; replay that one";
    if (head.at == state::parked) why.detail += "; unpark or cancel that one";
    if (head.at == state::pending) why.until = head.not_before;
    if (head.at == state::claimed) why.until = head.lease_until;
    return why;
}

}  // namespace

explanation explain(const event_row& row, const surroundings& around, store_time now) {
    if (is_settled(row.at)) return settled(row);
    if (row.at == state::claimed) return claimed(row, now);
    if (row.at == state::parked) {
        return {"parked", "it is held until somebody unparks it", std::nullopt, std::nullopt};
    }
    if (around.destination_paused) {
        return {"destination_paused", "its destination is paused; resume it", std::nullopt,
                std::nullopt};
    }
    if (around.head_id) return behind(around);
    if (row.not_before > now) {
        const bool waits = row.last_outcome.has_value();
        return {"not_before", waits ? "it waits for its next attempt" : "it waits for its time",
                std::nullopt, row.not_before};
    }
    return {"due", "it can be claimed now, if a dispatcher serves its destination", std::nullopt,
            std::nullopt};
}

}  // namespace leasebox
