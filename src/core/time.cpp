#include "leasebox/core/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace leasebox {
namespace {

using namespace std::chrono_literals;

// How far a wall clock that is slewed at 500 ppm falls behind in about half an hour without a
// transaction; and so how far the store's time may fall short of time that has passed.
constexpr milliseconds slew_max{1000};

constexpr milliseconds duration_max = std::chrono::hours{24} * 3653;

// From the longest to the shortest, so that format_duration takes the first one that divides.
constexpr std::array<std::pair<std::string_view, milliseconds>, 5> units{
    {{"d", 24h}, {"h", 1h}, {"m", 1min}, {"s", 1s}, {"ms", 1ms}}};

}  // namespace

store_time read_store_time(const clock_mark& mark, const clock_reading& reading) noexcept {
    store_time steady = mark.high;
    if (mark.boot && mark.boot_id == reading.boot_id && reading.boot > *mark.boot) {
        steady = later(steady, std::chrono::floor<milliseconds>(reading.boot - *mark.boot));
    }
    // A wall that is slewed runs a little slower than the boot clock; only one that is further
    // behind was set back.
    const bool slewed = reading.wall >= mark.high && steady - reading.wall <= slew_max;
    return slewed ? reading.wall : std::max(reading.wall, steady);
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
