// What a producer appends, and what an owner of a claim is given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leasebox/core/claim.hpp"

namespace leasebox {

/// An event to append. A class with constructors, so that it is safe as a temporary of an
/// awaited call. The store checks its rules; see the table in docs/sql.md.
struct draft {
    std::string destination;  ///< 1 to 200 of [A-Za-z0-9._:-]
    std::string payload;      ///< any bytes, 1 MiB at most unless the store is set otherwise
    std::string id;           ///< empty: a new time-ordered UUID
    std::optional<std::string> key;   ///< ordering key, 1 to 200 bytes; none: no order
    std::optional<std::string> type;  ///< such as "order.placed"
    std::string content_type = "application/json";
    std::map<std::string, std::string> headers;  ///< sent with every attempt
    milliseconds delay{};                        ///< before the first attempt, by the store's clock
    std::optional<milliseconds> lifetime;        ///< none: the dispatcher's
    std::optional<int> attempts_max;             ///< none: the dispatcher's; at least 1

    draft() = default;
    draft(std::string to, std::string body)
        : destination(std::move(to)), payload(std::move(body)) {}
};

/// What an append gives back.
struct receipt {
    std::string id;        ///< the stable identity, for deduplication and questions
    std::int64_t seq = 0;  ///< order of append, store-wide

    receipt() = default;
    receipt(std::string event_id, std::int64_t order) : id(std::move(event_id)), seq(order) {}
};

/// A claimed event: the claim, and everything that is needed to send it.
struct claimed_event {
    claim_key key;
    std::int64_t seq = 0;
    int attempt = 0;
    store_time claimed_at{};
    store_time lease_until{};
    std::string destination;
    std::optional<std::string> lane;  ///< the event's ordering key
    std::int64_t lane_seq = 0;        ///< 0 where there is no lane
    std::string lane_gap;             ///< lane-seq numbers before it that are not coming: "3,5-7"
    std::string type;
    std::string content_type;
    std::string headers;  ///< a JSON object of strings, as appended
    std::string payload;
    store_time appended_at{};
    int expiries = 0;
    bool uncertain = false;  ///< an earlier attempt may have arrived
    bool suspect = false;    ///< must run alone in its process
};

}  // namespace leasebox
