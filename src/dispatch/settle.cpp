#include "dispatch/settle.hpp"

#include <algorithm>

namespace leasebox::dispatch {
namespace {

milliseconds wished(const delivery& said, const backoff& retry) {
    return std::clamp(said.retry_after.value_or(milliseconds{0}), milliseconds{0}, retry.max);
}

milliseconds delay_of(const claimed_event& event, const delivery& said, const backoff& retry,
                      std::uint64_t random) {
    // The consumer is still working on an earlier attempt: its answer is near.
    const int failures = said.soon ? 1 : event.attempt;
    return std::max(retry.delay(failures, random), wished(said, retry));
}

}  // namespace

ack_request make_ack(const claimed_event& event, const delivery& said,
                     const dispatcher_options& options, const destination_options& destination,
                     std::uint64_t random, bool stopping) {
    ack_request request;
    request.command.key = event.key;
    request.command.what = said.what;
    // At a stop the next owner may have it at once.
    const bool at_once = stopping && said.what.result == outcome::released;
    if (!at_once) request.command.after = delay_of(event, said, options.retry, random);
    request.limits = options.limits;
    request.dead_head = destination.dead_head;
    return request;
}

milliseconds hold_of(const delivery& said, const backoff& retry) {
    return said.hold_destination ? wished(said, retry) : milliseconds{0};
}

}  // namespace leasebox::dispatch
