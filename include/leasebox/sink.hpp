// The sink port: what takes an event to its consumer.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "leasebox/core/event.hpp"

namespace leasebox {

/// What a sink says about one attempt.
struct delivery {
    report what;
    std::optional<milliseconds> retry_after;  ///< the consumer's wish, not yet clamped
    bool hold_destination = false;  ///< the wish is meant for all events (429, 503)
    bool soon = false;              ///< an earlier attempt is still being worked on (409)
    bool gone = false;              ///< the consumer wants nothing any more (410)
    bool threw = false;             ///< set by the dispatcher: the sink broke its own contract

    delivery() = default;
    explicit delivery(outcome result, std::string detail = {})
        : what(result, std::move(detail)) {}
};

/// Delivers events of one destination. deliver() runs on the dispatcher's strand, many at a time,
/// with no store transaction open.
///
/// It must end by `deadline`. Shortly after it, and at a hard stop, it gets terminal
/// cancellation; it then says how far it got: `released` if certainly nothing was sent, else
/// `uncertain`. What it throws counts as uncertain.
class sink {
public:
    virtual ~sink() = default;
    virtual boost::asio::awaitable<delivery> deliver(const claimed_event& event,
                                                     boot_time deadline) = 0;
    /// Closes what it keeps open while idle. Called once on the strand, when a dispatcher ends.
    virtual void close() {}
};

/// A sink from any coroutine of the application:
/// `make_sink([&](const claimed_event& event, boot_time deadline) -> awaitable<delivery> {…})`.
/// The function is kept for as long as the sink.
template <class Function>
std::shared_ptr<sink> make_sink(Function function) {
    class function_sink final : public sink {
    public:
        explicit function_sink(Function f) : function_(std::move(f)) {}
        boost::asio::awaitable<delivery> deliver(const claimed_event& event,
                                                 boot_time deadline) override {
            return function_(event, deadline);
        }

    private:
        Function function_;
    };
    return std::make_shared<function_sink>(std::move(function));
}

}  // namespace leasebox
