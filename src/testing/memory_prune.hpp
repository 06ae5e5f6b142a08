// Retention in a memory store.
#pragma once

#include "testing/memory_events.hpp"

namespace leasebox::testing {

prune_result prune_events(memory_events& events, const prune_request& request, store_time now);

}  // namespace leasebox::testing
