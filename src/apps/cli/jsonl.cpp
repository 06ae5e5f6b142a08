#include "apps/cli/jsonl.hpp"

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>

namespace leasebox::apps {
namespace {

namespace json = boost::json;

constexpr std::size_t depth_max = 1000;

[[noreturn]] void refuse(const std::string& column, const std::string& rule) {
    throw error(errc::invalid_event, column + " must be " + rule);
}

std::string text_of(const std::string& column, const json::value& value) {
    if (!value.is_string()) refuse(column, "a string");
    return std::string(value.as_string());
}

std::int64_t integer_of(const std::string& column, const json::value& value) {
    if (!value.is_int64()) refuse(column, "an integer");
    return value.as_int64();
}

std::map<std::string, std::string> headers_of(const json::value& value) {
    if (!value.is_object()) refuse("headers", "an object of strings");
    std::map<std::string, std::string> headers;
    for (const auto& [name, each] : value.as_object()) {
        headers[std::string(name)] = text_of("headers." + std::string(name), each);
    }
    return headers;
}

// The columns hold instants, a draft holds durations by the store's clock.
milliseconds until(const std::string& column, const json::value& value, store_time now) {
    const std::int64_t at = integer_of(column, value);
    if (at < 0 || at > to_ms(store_time_max)) {
        refuse(column, "milliseconds since 1970, from 0 to 253402300799999");
    }
    return from_ms(at) - now;
}

// The lengths of what `text` begins with, which is known to be good JSON.
std::size_t blank_length(std::string_view text) {
    return std::min(text.find_first_not_of(" \t\r\n"), text.size());
}

std::size_t string_length(std::string_view text) {
    std::size_t at = 1;
    while (text[at] != '"')
        at += text[at] == '\\' ? 2U : 1U;
    return at + 1;
}

std::size_t value_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char each = text[at];
        const bool ends = each == ',' || each == '}' || each == ']';
        if (depth == 0 && ends) return at;
        if (each == '{' || each == '[') ++depth;
        if (each == '}' || each == ']') --depth;
        at += each == '"' ? string_length(text.substr(at)) : std::size_t{1};
    }
    return text.size();
}

// A member's value as it was written: parsing would round its numbers, and write them otherwise.
// Of two with one name the last counts, as it does for the parser.
std::string_view raw_member(std::string_view object, std::string_view name) {
    std::string_view found;
    std::string_view rest = object.substr(object.find('{') + 1);
    const auto take = [&rest](std::size_t length) {
        const std::string_view taken = rest.substr(0, length);
        rest.remove_prefix(length + blank_length(rest.substr(length)));
        return taken;
    };
    take(0);
    while (rest.front() != '}') {
        const std::string_view key = take(string_length(rest));
        take(1);
        std::string_view value = take(value_length(rest));
        value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
        if (json::parse({key.data(), key.size()}).as_string() == name) found = value;
        if (rest.front() == ',') take(1);
    }
    return found;
}

void set(draft& event, const std::string& column, const json::value& value, store_time now) {
    if (column == "destination") {
        event.destination = text_of(column, value);
    } else if (column == "id") {
        event.id = text_of(column, value);
    } else if (column == "key") {
        event.key = text_of(column, value);
    } else if (column == "type") {
        event.type = text_of(column, value);
    } else if (column == "content_type") {
        event.content_type = text_of(column, value);
    } else if (column == "headers") {
        event.headers = headers_of(value);
    } else if (column == "not_before") {
        event.delay = std::max(milliseconds{0}, until(column, value, now));
    } else if (column == "deadline") {
        event.lifetime = std::max(milliseconds{1}, until(column, value, now));
    } else if (column == "attempts_max") {
        const std::int64_t most = integer_of(column, value);
        if (most < 1 || most > 1'000'000) refuse(column, "from 1 to 1000000");
        event.attempts_max = static_cast<int>(most);
    } else {
        throw error(errc::invalid_event, "'" + column + "' is no column of leasebox_event");
    }
}

}  // namespace

draft parse_event(const std::string& line, const std::string& destination, store_time now) {
    json::error_code failed;
    json::parse_options how;
    how.max_depth = depth_max;
    const json::value parsed = json::parse(line, failed, {}, how);
    if (failed) throw error(errc::invalid_event, "no JSON: " + failed.message());
    if (!parsed.is_object()) throw error(errc::invalid_event, "must be a JSON object");
    draft event(destination, {});
    for (const auto& [column, value] : parsed.as_object()) {
        if (!value.is_null() && column != "payload") set(event, std::string(column), value, now);
    }
    const json::value* const payload = parsed.as_object().if_contains("payload");
    if (payload == nullptr) refuse("payload", "there");
    event.payload = payload->is_string() ? text_of("payload", *payload)
                                         : std::string(raw_member(line, "payload"));
    if (event.destination.empty()) refuse("destination", "there, or given with -d");
    return event;
}

void append_jsonl(store& events, std::istream& in, const std::string& name,
                  const std::string& destination, const context& common) {
    const bool show = isatty(STDERR_FILENO) != 0;
    const store_time now = events.now();
    std::int64_t number = 0;
    transact_request request;
    request.run = [&](transaction& open) {
        std::vector<receipt> receipts;
        for (std::string line; std::getline(in, line);) {
            number += 1;
            if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
            receipts.push_back(open.append(parse_event(line, destination, now)));
            if (show && number % 1000 == 0) std::cerr << "\r" << number << " lines appended";
        }
        if (show) std::cerr << "\r\x1b[K";
        print_receipts(receipts, common);
    };
    try {
        commit_one<transact_reply>(events, std::move(request));
    } catch (const error& failed) {
        if (failed.code() != errc::invalid_event && failed.code() != errc::duplicate_id) throw;
        throw error(static_cast<errc>(failed.code().value()),
                    (name == "-" ? "stdin" : name) + ", line " + std::to_string(number) + ": " +
                        failed.sentence() + "; nothing of it was appended");
    }
}

}  // namespace leasebox::apps
