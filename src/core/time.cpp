#include "leasebox/core/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace leasebox {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds duration_max = std::chrono::hours{24} * 3653;

// From the longest to the shortest, so that format_duration takes the first one that divides.
constexpr std::array<std::pair<std::string_view, milliseconds>, 5> units{
    {{"d", 24h}, {"h", 1h}, {"m", 1min}, {"s", 1s}, {"ms", 1ms}}};

}  // namespace

store_time read_store_time(const clock_mark& mark, const clock_reading& reading) noexcept {
    if (reading.wall >= mark.high) return reading.wall;
    const bool comparable = mark.boot && mark.boot_id == reading.boot_id;
    if (!comparable || reading.boot <= *mark.boot) return mark.high;
    const auto passed = std::chrono::duration_cast<milliseconds>(reading.boot - *mark.boot);
    return later(mark.high, passed);
}

std::optional<milliseconds> parse_duration(std::string_view text) noexcept {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || number <= 0 || text.front() == '-') return std::nullopt;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, length] : units) {
        if (unit != name) continue;
        if (number > duration_max / length) return std::nullopt;
        return number * length;
    }
    return std::nullopt;
}

std::string format_duration(milliseconds value) {
    for (const auto& [name, length] : units) {
        if (value % length == 0ms && value != 0ms) {
            return std::to_string(value / length).append(name);
        }
    }
    return std::to_string(value.count()).append("ms");
}

}  // namespace leasebox
