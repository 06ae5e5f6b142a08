// The request that carries an event.
#pragma once

#include <optional>
#include <string>

#include "http/endpoint.hpp"
#include "leasebox/core/event.hpp"
#include "leasebox/http/signature.hpp"

namespace leasebox::http {

/// Why the event can't be written as a request at all; empty where it can. The store refuses
/// such events, so that only a damaged or foreign store has them.
std::optional<std::string> unsendable(const claimed_event& event);

/// Head and body, ready to be written. `now` is when it is signed. The event must be sendable.
std::string write_request(const endpoint& to, const signer& keys, const claimed_event& event,
                          store_time now);

}  // namespace leasebox::http
