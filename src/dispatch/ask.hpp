// Asking the store actor from a coroutine.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>

#include "dispatch/store_actor.hpp"

namespace leasebox::dispatch {

/// Resumes on the coroutine's own executor once the transaction has been committed or has
/// failed. Not cancellable: what was queued happens, and its reply is not lost.
inline boost::asio::awaitable<reply> ask(store_actor& actor, operation what) {
    auto initiate = [&actor](auto handler, operation queued) {
        auto held = std::make_shared<decltype(handler)>(std::move(handler));
        auto executor = boost::asio::get_associated_executor(*held);
        actor.post(std::move(queued), [held, executor](reply got) {
            boost::asio::post(executor, [held, got = std::move(got)]() mutable {
                std::move (*held)(std::move(got));
            });
        });
    };
    return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void(reply)>(
        initiate, boost::asio::use_awaitable, std::move(what));
}

}  // namespace leasebox::dispatch
