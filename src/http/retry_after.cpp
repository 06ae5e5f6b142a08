#include "http/retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace leasebox::http {
namespace {

constexpr milliseconds wish_max = std::chrono::hours{24 * 365};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Digits only, so that the sole failure left is a number that is too large.
int number(std::string_view text) {
    int value = 0;
    if (!all_digits(text)) return -1;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    return done.ec == std::errc{} ? value : -1;
}

std::optional<milliseconds> parse_seconds(std::string_view text) {
    const auto dot = text.find('.');
    const std::string_view whole = text.substr(0, dot);
    const std::string_view fraction =
        dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
    if (!all_digits(whole) || (dot != std::string_view::npos && !all_digits(fraction))) {
        return std::nullopt;
    }
    const int seconds = number(whole);
    if (seconds < 0 || std::chrono::seconds{seconds} >= wish_max) return wish_max;
    std::string thousandths(fraction.substr(0, 3));
    thousandths.resize(3, '0');
    const bool more =
        fraction.size() > 3 && fraction.substr(3).find_first_not_of('0') != std::string_view::npos;
    return std::chrono::seconds{seconds} + milliseconds{number(thousandths) + (more ? 1 : 0)};
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        const auto first = text.find_first_not_of(" ,-");
        if (first == std::string_view::npos) return words;
        text.remove_prefix(first);
        const auto end = std::min(text.find_first_of(" ,-"), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

int month_of(std::string_view text) {
    constexpr std::array<std::string_view, 12> names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto found = std::find(names.begin(), names.end(), text);
    return found == names.end() ? 0 : static_cast<int>(found - names.begin()) + 1;
}

// A year of two digits is the one nearest to now, at most 50 years ahead, as RFC 9110 says.
int year_of(std::string_view text, store_time now) {
    const int value = number(text);
    if (text.size() != 2) return text.size() == 4 ? value : -1;
    const std::chrono::sys_days today{
        std::chrono::floor<std::chrono::days>(now.time_since_epoch())};
    const int current = static_cast<int>(std::chrono::year_month_day{today}.year());
    const int guess = current / 100 * 100 + value;
    return guess > current + 50 ? guess - 100 : guess;
}

std::optional<std::chrono::seconds> time_of(std::string_view text) {
    if (text.size() != 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
    const int hour = number(text.substr(0, 2));
    const int minute = number(text.substr(3, 2));
    const int second = number(text.substr(6, 2));
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
        return std::nullopt;
    }
    return std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

struct date_words {
    std::string_view day, month, year, time;
};

// IMF-fixdate `Sun, 06 Nov 1994 08:49:37 GMT`, RFC 850 `Sunday, 06-Nov-94 08:49:37 GMT`, and
// asctime `Sun Nov  6 08:49:37 1994`, in which the year comes last.
std::optional<date_words> words_of_date(std::string_view text) {
    const auto words = words_of(text);
    if (words.size() == 6 && words[5] == "GMT") {
        return date_words{words[1], words[2], words[3], words[4]};
    }
    if (words.size() == 5) return date_words{words[2], words[1], words[4], words[3]};
    return std::nullopt;
}

std::optional<milliseconds> parse_date(std::string_view text, store_time now) {
    const auto words = words_of_date(text);
    if (!words) return std::nullopt;
    const auto time = time_of(words->time);
    const int day = number(words->day);
    const int year = year_of(words->year, now);
    if (!time || day < 1 || year < 1) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month_of(words->month))},
        std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    const milliseconds at = std::chrono::sys_days{date}.time_since_epoch() + *time;
    return std::clamp(at - now.time_since_epoch(), milliseconds{0}, wish_max);
}

}  // namespace

std::optional<milliseconds> parse_retry_after(std::string_view text, store_time now) {
    const std::string_view wish = trimmed(text);
    if (const auto seconds = parse_seconds(wish)) return seconds;
    return parse_date(wish, now);
}

}  // namespace leasebox::http
