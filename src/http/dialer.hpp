// Opens a connection to a destination: resolve, judge the addresses, connect, TLS.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "http/classify.hpp"
#include "http/connection.hpp"
#include "http/endpoint.hpp"
#include "http/guard.hpp"
#include "http/resolver.hpp"

namespace leasebox::http {

class dialer {
public:
    /// `tls` may be null for a plain destination. `names` and `time` must outlive the dialer.
    dialer(endpoint to, guard_policy policy, tls_context tls, resolver& names, clock& time);

    /// A connection that is ready for a request; null with the reason in `so_far`. Ends soon
    /// after cancellation.
    boost::asio::awaitable<std::shared_ptr<connection>> open(progress& so_far);

    const endpoint& to() const noexcept { return to_; }

private:
    using tcp = boost::asio::ip::tcp;

    boost::asio::awaitable<std::vector<tcp::endpoint>> addresses(progress& so_far);
    std::vector<tcp::endpoint> allowed(const std::vector<boost::asio::ip::address>& found,
                                       progress& so_far) const;
    /// True where a request may follow: over TLS if that is wanted, and not cancelled.
    boost::asio::awaitable<bool> secure(connection& link, progress& so_far);

    endpoint to_;
    guard_policy policy_;
    tls_context tls_;
    resolver& names_;
    clock& clock_;
};

}  // namespace leasebox::http
