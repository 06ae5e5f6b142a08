// From what a sink says to what the store is told. Pure.
#pragma once

#include "leasebox/dispatcher.hpp"

namespace leasebox::dispatch {

/// The report of `said` about `event`, with the delay until the next attempt: full jitter, and
/// the consumer's own wish inside bounds (not sooner than the jitter, not later than the longest
/// backoff).
ack_request make_ack(const claimed_event& event, const delivery& said,
                     const dispatcher_options& options, const destination_options& destination,
                     std::uint64_t random, bool stopping);

/// How long the whole destination is left alone after this answer; 0: not at all.
milliseconds hold_of(const delivery& said, const backoff& retry);

}  // namespace leasebox::dispatch
