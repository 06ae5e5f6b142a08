#include "apps/cli/jsonl.hpp"

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>

namespace leasebox::apps {
namespace {

namespace json = boost::json;

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

void set(draft& event, const std::string& column, const json::value& value, store_time now) {
    if (column == "destination") {
        event.destination = text_of(column, value);
    } else if (column == "payload") {
        event.payload = value.is_string() ? text_of(column, value) : json::serialize(value);
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
    const json::value parsed = json::parse(line, failed);
    if (failed) throw error(errc::invalid_event, "no JSON: " + failed.message());
    if (!parsed.is_object()) throw error(errc::invalid_event, "must be a JSON object");
    draft event(destination, {});
    for (const auto& [column, value] : parsed.as_object()) {
        const bool optional = value.is_null() && column != "payload";
        if (!optional) set(event, std::string(column), value, now);
    }
    if (!parsed.as_object().contains("payload")) refuse("payload", "there");
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
