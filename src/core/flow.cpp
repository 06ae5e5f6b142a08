#include "leasebox/core/flow.hpp"

#include <charconv>

namespace leasebox {
namespace {

constexpr int count_max = 1'000'000;

std::optional<milliseconds> period_of(std::string_view unit) noexcept {
    if (unit == "s") return std::chrono::seconds{1};
    if (unit == "m") return std::chrono::minutes{1};
    if (unit == "h") return std::chrono::hours{1};
    return std::nullopt;
}

}  // namespace

std::optional<send_rate> parse_rate(std::string_view text) noexcept {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::optional<milliseconds> per = period_of(text.substr(slash + 1));
    int count = 0;
    const char* const end = text.data() + slash;
    const auto [stopped, failed] = std::from_chars(text.data(), end, count);
    const bool whole = failed == std::errc{} && stopped == end;
    if (!per || !whole || count < 1 || count > count_max) return std::nullopt;
    return send_rate{count, *per};
}

std::string_view to_string(circuit_state value) noexcept {
    switch (value) {
        case circuit_state::closed: return "closed";
        case circuit_state::open: return "open";
        case circuit_state::half_open: return "half_open";
    }
    return "?";
}

}  // namespace leasebox
