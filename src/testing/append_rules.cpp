#include "testing/append_rules.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdio>
#include <string_view>

#include "leasebox/core/error.hpp"

namespace leasebox::testing {
namespace {

constexpr std::size_t headers_bytes_max = 16 * 1024;
constexpr int attempts_max_max = 1'000'000;

void require(bool holds, std::string_view sentence) {
    if (!holds) throw error(errc::invalid_event, std::string("leasebox: ").append(sentence));
}

bool has_length(std::string_view text, std::size_t max) noexcept {
    return !text.empty() && text.size() <= max;
}

bool is_alphanumeric(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool consists_of(std::string_view text, std::string_view marks) noexcept {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
    });
}

bool has_control(std::string_view text) noexcept {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
}

bool is_printable_ascii(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check_names(const draft& event) {
    require(has_length(event.destination, 200) && consists_of(event.destination, "._:-"),
            "destination: must be 1 to 200 characters of A-Z a-z 0-9 . _ : -");
    require(event.id.empty() || (has_length(event.id, 200) && consists_of(event.id, "_:-")),
            "id: must be 1 to 200 characters of A-Z a-z 0-9 _ : -");
    require(
        !event.key || (has_length(*event.key, 200) && event.key->find('\0') == std::string::npos),
        "key: must be null or text of 1 to 200 bytes without NUL");
}

void check_content(const draft& event, std::int64_t payload_bytes_max) {
    require(static_cast<std::int64_t>(event.payload.size()) <= payload_bytes_max,
            "payload: is larger than the store allows (payload_bytes_max)");
    require(!event.type || (has_length(*event.type, 200) && !has_control(*event.type)),
            "type: must be null or text of 1 to 200 bytes without control characters");
    require(has_length(event.content_type, 200) && is_printable_ascii(event.content_type),
            "content_type: must be 1 to 200 printable ASCII characters");
}

void check_headers(const draft& event, const std::string& json) {
    for (const auto& [name, value] : event.headers) {
        require(has_length(name, 100) && consists_of(name, "!#$%&'*+.^_`|~-"),
                "headers: names must be HTTP tokens of 1 to 100 characters");
        require(!has_control(value), "headers: values must have no control characters");
    }
    require(json.size() <= headers_bytes_max, "headers: must be text of at most 16384 bytes");
}

void check_limits(const draft& event) {
    require(event.delay.count() >= 0, "delay: must not be negative");
    require(!event.lifetime || event.lifetime->count() >= 1, "lifetime: must be at least 1 ms");
    require(!event.attempts_max ||
                (*event.attempts_max >= 1 && *event.attempts_max <= attempts_max_max),
            "attempts_max: must be null or an integer from 1 to 1000000");
}

}  // namespace

void check_rules(const draft& event, const std::string& headers_json,
                 std::int64_t payload_bytes_max) {
    check_names(event);
    check_content(event, payload_bytes_max);
    check_headers(event, headers_json);
    check_limits(event);
}

std::string headers_json(const draft& event) {
    boost::json::object object;
    for (const auto& [name, value] : event.headers)
        object[name] = value;
    return boost::json::serialize(object);
}

std::string id_source::next(store_time at) {
    const auto ms = static_cast<std::uint64_t>(to_ms(at)) & 0xFFFF'FFFF'FFFFU;
    const std::uint64_t high = (ms << 16U) | 0x7000U | (random_() & 0x0FFFU);
    const std::uint64_t low = (random_() >> 2U) | 0x8000'0000'0000'0000U;
    std::array<char, 33> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx%016llx", static_cast<unsigned long long>(high),
                  static_cast<unsigned long long>(low));
    std::string id(hex.data());
    for (const std::size_t dash : {8U, 13U, 18U, 23U})
        id.insert(dash, 1, '-');
    return id;
}

}  // namespace leasebox::testing
