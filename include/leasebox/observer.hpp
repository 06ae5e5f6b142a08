// The observer port: everything that logs and metrics are made from. The library itself writes
// nothing anywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "leasebox/core/claim.hpp"

namespace leasebox {

enum class severity : std::uint8_t { debug, info, warning, error };

/// What happened. Each kind has one constant message, so that lines can be counted.
enum class occurrence : std::uint8_t {
    started,          ///< a dispatcher runs
    stopping,         ///< soft stop: no more claims
    stopped,          ///< async_run is about to complete
    claimed,          ///< an event was claimed; its attempt starts
    expired,          ///< claims whose lease ran out were closed; `count` of them
    settled,          ///< an event was settled by a claim: budget used up, or evidence
    acknowledged,     ///< a report was judged: `answer` says how, `result` what was reported
    renewed,          ///< a renewal was judged
    appended,         ///< events were appended through the actor; `count` of them
    sink_failed,      ///< a sink threw
    store_failed,     ///< a transaction failed; nothing was changed
    store_recovered,  ///< transactions succeed again
    committed,        ///< one transaction: `count` operations in `took`
    circuit_opened,   ///< a destination fails too often and is left alone, until a probe succeeds
    circuit_closed,   ///< it is back: sends grow again from one
    destination_paused,  ///< it said that it wants nothing any more (410)
    pruned,           ///< retention removed `count` old events
};
std::string_view to_string(occurrence value) noexcept;

/// One record. The views live only during the call.
struct record {
    occurrence what = occurrence::started;
    severity level = severity::info;
    std::string_view event;  ///< id; empty where the record is about no event
    std::string_view destination;
    std::string_view key;
    std::string_view owner;
    std::int64_t generation = 0;
    std::int64_t current_generation = 0;  ///< of the claim that holds the event instead; 0: none
    int attempt = 0;
    bool evidence_kept = false;  ///< refused, but kept as the record of its own attempt
    std::optional<outcome> result;
    std::optional<verdict> answer;
    std::optional<state> at;
    std::optional<reason> why;
    std::optional<cause> how;
    int http_status = 0;
    std::optional<std::chrono::nanoseconds> took;
    std::int64_t count = 1;
    std::string_view detail;
};

/// Called on the dispatcher's strand and on the store actor's thread, so it must be safe from
/// any thread; it must be quick, and must not call back into the dispatcher.
class observer {
public:
    virtual ~observer() = default;
    virtual void on(const record& what) noexcept = 0;
};

}  // namespace leasebox
