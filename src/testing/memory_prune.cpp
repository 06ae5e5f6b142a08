#include "testing/memory_prune.hpp"

#include <algorithm>
#include <limits>

namespace leasebox::testing {
namespace {

prune_position position_of(const memory_event& event) {
    return {event.row.at, event.row.settled_at.value_or(store_time{}), event.seq};
}

bool comes_before(const prune_position& left, const prune_position& right) {
    if (left.at != right.at) return left.at < right.at;
    if (left.settled_at != right.settled_at) return left.settled_at < right.settled_at;
    return left.seq < right.seq;
}

bool matches(const memory_event& event, const prune_request& request, store_time now) {
    const std::optional<milliseconds> age = request.age_of(event.row.at);
    return age && event.row.settled_at && later(*event.row.settled_at, *age) <= now &&
           (!request.destination || *request.destination == event.destination);
}

// Those that this sweep has not seen yet, in the sweep's order.
std::vector<const memory_event*> not_seen(memory_events& events, const prune_request& request,
                                          store_time now) {
    const prune_position after = request.after.value_or(prune_position{});
    std::vector<const memory_event*> found;
    for (const memory_event& each : events.all()) {
        if (matches(each, request, now) && comes_before(after, position_of(each))) {
            found.push_back(&each);
        }
    }
    std::sort(found.begin(), found.end(), [](const memory_event* left, const memory_event* right) {
        return comes_before(position_of(*left), position_of(*right));
    });
    return found;
}

}  // namespace

prune_result prune_events(memory_events& events, const prune_request& request, store_time now) {
    prune_result result;
    std::vector<const memory_event*> found = not_seen(events, request, now);
    result.more = found.size() > static_cast<std::size_t>(request.limit);
    if (result.more) found.resize(static_cast<std::size_t>(request.limit));
    result.next = {state::cancelled, store_time::max(), std::numeric_limits<std::int64_t>::max()};
    if (result.more) result.next = position_of(*found.back());
    std::vector<std::pair<std::int64_t, state>> gone;
    for (const memory_event* each : found) {
        result.matched[each->row.at] += 1;
        const bool blocks = each->lane && each->occupies_lane();
        const bool needed = blocks || could_be_needed(each->row, request.grace, now);
        result.kept += needed ? 1 : 0;
        if (!needed) gone.emplace_back(each->seq, each->row.at);
    }
    if (request.dry_run) return result;
    for (const auto& [seq, at] : gone) {
        events.remove(seq);
        result.removed[at] += 1;
    }
    return result;
}

}  // namespace leasebox::testing
