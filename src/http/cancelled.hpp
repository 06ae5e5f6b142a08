// How the coroutines of this folder notice that they were ended from outside.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>

namespace leasebox::http {

/// For a coroutine that has switched off throw_if_cancelled, as deliver() does for all of them.
/// To be asked after every wait: an operation that had just completed when the cancellation came
/// reports success, and one that starts after it is not cancelled any more.
inline boost::asio::awaitable<bool> is_cancelled() {
    const auto state = co_await boost::asio::this_coro::cancellation_state;
    co_return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace leasebox::http
