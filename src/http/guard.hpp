// Which addresses may be dialled. It judges the address itself, never a name or a spelling, so
// that what was checked is what is dialled.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <optional>
#include <string_view>

namespace leasebox::http {

struct guard_policy {
    bool allow_private = false;
    bool allow_loopback = false;
};

/// What kind of address it is where it is refused, such as "private"; empty where it is allowed.
std::optional<std::string_view> refusal(const boost::asio::ip::address& address,
                                        const guard_policy& policy);

}  // namespace leasebox::http
