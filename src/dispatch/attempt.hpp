// One send, held inside its deadline.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <memory>
#include <optional>

#include "dispatch/condition.hpp"
#include "leasebox/clock.hpp"
#include "leasebox/sink.hpp"

namespace leasebox::dispatch {

/// Runs a sink's deliver() and ends it at the deadline or when told to. Used on one strand.
class attempt : public std::enable_shared_from_this<attempt> {
public:
    attempt(boost::asio::any_io_executor strand, clock& time, std::shared_ptr<sink> to,
            claimed_event event);

    /// Completes with what the sink says. A sink that throws, or does not end within `grace`
    /// after it was cancelled, counts as uncertain; the second is left to run on its own.
    boost::asio::awaitable<delivery> run(boost::asio::any_io_executor strand, boot_time deadline,
                                         milliseconds grace);

    /// Cancels the send now.
    void cancel();

    /// Waits until the send has ended, or until `deadline`; on a timer of its own.
    boost::asio::awaitable<void> wait(boost::asio::any_io_executor strand, boot_time deadline);

    /// What the sink said; empty while the send goes on.
    const std::optional<delivery>& said() const noexcept { return said_; }

    const claimed_event& event() const noexcept { return event_; }

private:
    void finish(std::exception_ptr failed, delivery said);
    void cancel_at(boot_time deadline);
    void give_up();

    clock& clock_;
    const std::shared_ptr<sink> sink_;
    const claimed_event event_;
    const std::unique_ptr<timer> timer_;
    condition ended_;
    boost::asio::cancellation_signal signal_;
    milliseconds grace_{};
    bool cancelled_ = false;
    std::optional<delivery> said_;
};

}  // namespace leasebox::dispatch
