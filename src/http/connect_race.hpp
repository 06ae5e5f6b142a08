// Connects to the first of several addresses that answers: the next one is tried when one fails,
// and also when it is silent for a moment, so that a dead address costs little time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <vector>

#include "http/connection.hpp"
#include "leasebox/clock.hpp"

namespace leasebox::http {

/// How long an address may be silent before the next one is tried beside it (RFC 8305).
inline constexpr milliseconds connect_stagger{250};

struct connected {
    std::shared_ptr<connection> link;  ///< null where no address could be reached
    boost::system::error_code failed;  ///< of the address that failed last
};

/// `to` is not empty. Ends soon after cancellation. Never throws for what the network does.
boost::asio::awaitable<connected> connect_to_any(std::vector<boost::asio::ip::tcp::endpoint> to,
                                                 clock& time);

/// True where this host lacks a resource, so that the consumer has no part in the failure.
bool is_exhaustion(const boost::system::error_code& failed) noexcept;

}  // namespace leasebox::http
