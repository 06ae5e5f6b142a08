// The clock port: the only way in which the library learns the time or waits for it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "leasebox/core/time.hpp"

namespace leasebox {

/// A one-shot timer. Used on one strand; wait() is ended early by cancel().
class timer {
public:
    virtual ~timer() = default;
    /// Calls `fired` on the timer's executor once `at` is reached; never after cancel() or a new
    /// arm(), and never from inside arm().
    virtual void arm(boot_time at, std::function<void()> fired) = 0;
    virtual void cancel() = 0;
};

/// Safe from any thread. Must outlive every timer made by it.
class clock {
public:
    virtual ~clock() = default;
    virtual boot_time now() const = 0;
    /// Wall, boot and boot id together, for a store that lives on this host.
    virtual clock_reading read() const = 0;
    virtual std::unique_ptr<timer> make_timer(const boost::asio::any_io_executor& executor) = 0;
};

/// The host's clocks: CLOCK_REALTIME and CLOCK_BOOTTIME. Lives as long as the process.
clock& system_clock();

}  // namespace leasebox
