// A condition that coroutines of one strand wait for.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace leasebox::dispatch {

/// Used on one strand only. What is waited for is kept by the owner, who looks at it again after
/// each wait: a notification that comes while nobody waits is not kept.
class condition {
public:
    // The timer never fires by itself; it is only Asio's way of parking a coroutine.
    explicit condition(const boost::asio::any_io_executor& strand)
        : parked_(strand, boost::asio::steady_timer::time_point::max()) {}

    boost::asio::awaitable<void> wait() {
        boost::system::error_code ended;
        co_await parked_.async_wait(
            boost::asio::redirect_error(boost::asio::use_awaitable, ended));
    }

    void notify() { parked_.cancel(); }

private:
    boost::asio::steady_timer parked_;
};

}  // namespace leasebox::dispatch
