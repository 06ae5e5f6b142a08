// The consumer's wish in Retry-After.
#pragma once

#include <optional>
#include <string_view>

#include "leasebox/core/time.hpp"

namespace leasebox::http {

/// Seconds, also with a fraction (rounded up), or an HTTP date in one of its three forms, which
/// is compared with `now`; a date in the past means now. Never more than a year. Empty where the
/// text is neither, a negative number included.
std::optional<milliseconds> parse_retry_after(std::string_view text, store_time now);

}  // namespace leasebox::http
