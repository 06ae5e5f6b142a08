// The proof that somebody holds an event, and the report of how an attempt ended.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "leasebox/core/time.hpp"
#include "leasebox/core/words.hpp"

namespace leasebox {

/// The identity of a claim. All three parts must match for anything to be accepted; an owner
/// name alone proves nothing, since names are reused.
struct claim_key {
    std::string id;     ///< the event
    std::string owner;  ///< who claimed: a name, and a random part per process start
    std::int64_t generation = 0;

    claim_key() = default;
    claim_key(std::string event_id, std::string owner_name, std::int64_t fence)
        : id(std::move(event_id)), owner(std::move(owner_name)), generation(fence) {}

    friend bool operator==(const claim_key&, const claim_key&) = default;
};

/// How far a request got before the attempt ended. Outcomes follow from it.
enum class phase : std::uint8_t {
    not_started = 0,
    connecting = 1,
    writing = 2,   ///< at least one byte of the request may have left
    written = 3,   ///< the whole request was handed to the transport
    answered = 4,  ///< a complete answer head was read
};
std::string_view to_string(phase value) noexcept;

/// What an owner reports about its own attempt.
struct report {
    outcome result = outcome::uncertain;
    cause how = cause::response;  ///< for `delivered`: how that is known
    int http_status = 0;          ///< 0 = no answer
    phase reached = phase::not_started;
    std::int64_t bytes_written = 0;
    std::string detail;  ///< a sentence for a person, bounded to detail_bytes_max by the store

    report() = default;
    explicit report(outcome what, std::string why = {}) : result(what), detail(std::move(why)) {}
};

/// One attempt as the ledger keeps it.
struct attempt_record {
    std::int64_t generation = 0;
    int attempt = 0;
    std::string owner;
    store_time claimed_at{};
    store_time lease_until{};
    std::optional<store_time> ended_at;
    std::optional<outcome> result;  ///< empty while the attempt is open
    bool late = false;              ///< the report came after the claim had been lost
    int http_status = 0;
    phase reached = phase::not_started;
    std::int64_t bytes_written = 0;
    std::string detail;

    friend bool operator==(const attempt_record&, const attempt_record&) = default;
};

}  // namespace leasebox
