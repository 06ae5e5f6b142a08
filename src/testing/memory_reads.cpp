#include "testing/memory_reads.hpp"

#include <algorithm>

namespace leasebox::testing {
namespace {

event_status describe(const memory_event& event) {
    event_status found;
    found.id = event.id;
    found.destination = event.destination;
    found.key = event.key;
    found.type = event.type;
    found.row = event.with_history();
    found.appended_at = event.appended_at;
    found.seq = event.seq;
    found.payload_bytes = static_cast<std::int64_t>(event.payload.size());
    return found;
}

bool matches(const memory_event& event, const list_filter& filter) {
    return event.seq > filter.after_seq && (!filter.at || event.row.at == *filter.at) &&
           (!filter.destination || event.destination == *filter.destination) &&
           (!filter.key || event.key == filter.key) && (!filter.why || event.row.why == filter.why);
}

void count(destination_stats& stats, const memory_event& event) {
    // Every state is there, at zero too.
    for (int word = 1; word <= 6; ++word)
        stats.events.try_emplace(static_cast<state>(word), 0);
    stats.events[event.row.at] += 1;
    if (event.row.at != state::pending) return;
    if (!stats.oldest_pending || event.appended_at < *stats.oldest_pending) {
        stats.oldest_pending = event.appended_at;
    }
}

}  // namespace

std::optional<event_status> status_of(memory_events& events, const std::string& id) {
    const memory_event* event = events.find(id);
    if (event == nullptr) return std::nullopt;
    return describe(*event);
}

std::vector<attempt_record> attempts_of(memory_events& events, const std::string& id) {
    std::vector<attempt_record> found;
    const memory_event* event = events.find(id);
    if (event == nullptr) return found;
    for (const auto& [generation, record] : event->ledger)
        found.push_back(record);
    // The event's own row knows of its last attempt what the ledger does not have.
    if (auto last = unrecorded_attempt(event->with_history())) found.push_back(std::move(*last));
    return found;
}

std::vector<event_status> list_of(memory_events& events, const list_filter& filter) {
    std::vector<event_status> found;
    for (const memory_event& each : events.all()) {
        if (found.size() == static_cast<std::size_t>(std::max(0, filter.limit))) break;
        if (matches(each, filter)) found.push_back(describe(each));
    }
    return found;
}

store_stats stats_of(memory_events& events) {
    store_stats all;
    for (const memory_event& each : events.all()) {
        count(all.destinations[each.destination], each);
        if (each.row.uncertain && !is_settled(each.row.at)) all.uncertain += 1;
    }
    for (const auto& [destination, count] : events.pruned_dead())
        all.destinations[destination].pruned_dead = count;
    for (const std::string& destination : events.paused()) {
        all.destinations[destination].paused = true;
    }
    all.lanes_blocked = events.lanes_blocked();
    all.resends_avoided = events.resends_avoided();
    return all;
}

}  // namespace leasebox::testing
