// The reference consumer: verifies, deduplicates, fences, answers; misbehaves on demand.
#pragma once

#include "apps/receive/options.hpp"

namespace leasebox::apps {

/// Serves until SIGTERM or SIGINT, and returns 0. Tells its address on the first line of stdout.
/// Throws leasebox::error where it can't listen or open its inbox, or a secret is none.
int run_receive(const receive_options& options);

}  // namespace leasebox::apps
