// The rules of an append, the same as those of the SQL table, and the ids that it gives.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "leasebox/core/event.hpp"

namespace leasebox::testing {

/// Throws error(errc::invalid_event) with the sentence "leasebox: COLUMN: rule".
void check_rules(const draft& event, const std::string& headers_json,
                 std::int64_t payload_bytes_max);

/// The headers as the JSON object that claims hand out.
std::string headers_json(const draft& event);

/// UUIDs of version 7: ordered by `at`, then random. The same in every run, so that a failing
/// simulation can be repeated.
class id_source {
public:
    std::string next(store_time at);

private:
    std::mt19937_64 random_;
};

}  // namespace leasebox::testing
