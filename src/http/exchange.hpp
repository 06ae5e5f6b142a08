// One request and its answer on one connection.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "http/classify.hpp"
#include "http/connection.hpp"

namespace leasebox::http {

struct exchange_end {
    bool reusable = false;  ///< both sides are done, and the peer keeps the connection
    bool unheard = false;   ///< the peer closed the connection before any byte of an answer
};

/// Writes the request and reads the answer at the same time, so that an early refusal is seen.
/// What is learned goes to `so_far` as it happens; it must outlive the call, not the connection.
/// Ends soon after cancellation. The caller closes the connection unless it is reusable.
boost::asio::awaitable<exchange_end> exchange(std::shared_ptr<connection> link,
                                              std::shared_ptr<const std::string> request,
                                              progress& so_far);

}  // namespace leasebox::http
