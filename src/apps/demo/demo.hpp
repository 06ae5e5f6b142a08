// `leasebox demo`: real processes, a real store and real HTTP, broken on purpose.
#pragma once

namespace leasebox::apps {

/// Runs the demo and prints what happened, as read from the store, from the dispatchers' logs and
/// from the consumer. Returns the program's exit code: 0 where each event was applied once.
int run_demo();

}  // namespace leasebox::apps
