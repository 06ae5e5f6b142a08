// What a memory store tells about its events.
#pragma once

#include "testing/memory_events.hpp"

namespace leasebox::testing {

std::optional<event_status> status_of(memory_events& events, const std::string& id);
std::vector<attempt_record> attempts_of(memory_events& events, const std::string& id);
std::vector<event_status> list_of(memory_events& events, const list_filter& filter);
/// All but the time.
store_stats stats_of(memory_events& events);

}  // namespace leasebox::testing
