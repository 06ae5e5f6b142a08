// A request, read as a delivery or a lookup of an event.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace leasebox::apps {

using request = boost::beast::http::request<boost::beast::http::string_body>;

enum class ask : std::uint8_t { apply, look_up };

struct delivery {
    ask what = ask::apply;
    std::string id;
    std::optional<std::string> key;
    std::optional<std::int64_t> lane_seq;
    std::optional<std::int64_t> generation;
    std::optional<std::int64_t> attempt;
    std::string body;
};

/// Leaves the body where it is. `wrong` says what can't be read, and is empty if all can.
delivery read_delivery(const request& from, std::string& wrong);

/// A lookup's id is the last part of its path.
delivery read_lookup(const request& from, std::string& wrong);

}  // namespace leasebox::apps
