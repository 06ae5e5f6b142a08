// Where a destination's URL points to.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leasebox::http {

struct endpoint {
    bool secure = false;
    std::string host;                                 ///< lower case, without brackets
    std::optional<boost::asio::ip::address> literal;  ///< where the host is an address
    std::uint16_t port = 0;
    std::string host_header;  ///< with brackets, and with the port where it is not the default
    std::string target;       ///< path and query, percent-encoded
};

/// Throws leasebox::error(invalid_option) that names the rule. The URL itself is not shown, since
/// people keep tokens in it.
endpoint parse_endpoint(std::string_view url);

}  // namespace leasebox::http
