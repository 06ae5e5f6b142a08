#include "leasebox/core/lane_gap.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace leasebox {
namespace {

// A header has to hold the text. Beyond this the oldest numbers are not announced any more.
constexpr std::size_t ranges_max = 256;

std::int64_t take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(failed == std::errc{} ? static_cast<std::size_t>(end - text.data()) : 0);
    return number;
}

bool take(std::string_view& text, char expected) {
    if (text.empty() || text.front() != expected) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

lane_gap::lane_gap(std::string_view text, std::int64_t delivered) : delivered_(delivered) {
    while (!text.empty()) {
        const std::int64_t first = take_number(text);
        const std::int64_t last = take(text, '-') ? take_number(text) : first;
        ranges_.emplace_back(first, last);
        if (!take(text, ',')) return;
    }
}

void lane_gap::moved(std::int64_t lane_seq, bool occupied, bool occupies, state at) {
    if (at == state::delivered) {
        delivered_ = std::max(delivered_, lane_seq);
        // What came before has been announced with this one.
        while (!ranges_.empty() && ranges_.front().second <= delivered_) {
            ranges_.erase(ranges_.begin());
        }
        remove(lane_seq);
    } else if (occupied && !occupies) {
        if (lane_seq > delivered_) add(lane_seq);
    } else if (!occupied && occupies) {
        remove(lane_seq);
    }
}

void lane_gap::add(std::int64_t number) {
    remove(number);
    const auto after = std::find_if(ranges_.begin(), ranges_.end(),
                                    [&](const auto& range) { return range.first > number; });
    auto at = ranges_.insert(after, {number, number});
    if (at + 1 != ranges_.end() && (at + 1)->first == at->second + 1) {
        at->second = (at + 1)->second;
        at = ranges_.erase(at + 1) - 1;
    }
    if (at != ranges_.begin() && (at - 1)->second + 1 == at->first) {
        (at - 1)->second = at->second;
        ranges_.erase(at);
    }
    if (ranges_.size() > ranges_max) ranges_.erase(ranges_.begin());
}

void lane_gap::remove(std::int64_t number) {
    const auto at = std::find_if(ranges_.begin(), ranges_.end(), [&](const auto& range) {
        return range.first <= number && number <= range.second;
    });
    if (at == ranges_.end()) return;
    const auto [first, last] = *at;
    auto rest = ranges_.erase(at);
    if (number < last) rest = ranges_.insert(rest, {number + 1, last});
    if (first < number) ranges_.insert(rest, {first, number - 1});
}

std::string lane_gap::before(std::int64_t lane_seq) const {
    std::string text;
    for (const auto& [first, last] : ranges_) {
        const std::int64_t end = std::min(last, lane_seq - 1);
        if (first > end) break;
        if (!text.empty()) text += ',';
        text += std::to_string(first);
        if (end != first) text.append("-").append(std::to_string(end));
    }
    return text;
}

std::string lane_gap::text() const { return before(std::numeric_limits<std::int64_t>::max()); }

}  // namespace leasebox
