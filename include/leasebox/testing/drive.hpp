// Running an io_context and a manual_clock from a test, without waiting for anything.
#pragma once

#include <boost/asio/io_context.hpp>

#include "leasebox/testing/manual_clock.hpp"

namespace leasebox::testing {

/// Runs everything that can run now, at the clock's present time. What waits for a timer stays
/// waiting, so that a test can look at it. For dispatchers made with store_thread = false.
inline void run_until_idle(boost::asio::io_context& context) {
    if (context.stopped()) context.restart();
    while (context.poll() != 0) {
    }
}

/// Lets `length` pass, stopping at each timer on the way so that things happen in their order.
inline void run_for(boost::asio::io_context& context, manual_clock& clock, milliseconds length) {
    const boot_time end = clock.now() + length;
    run_until_idle(context);
    while (clock.now() < end) {
        const auto next = clock.next_timer();
        const boot_time stop = next && *next < end ? std::max(*next, clock.now()) : end;
        // Rounded up, since a timer set between two milliseconds must have been reached.
        clock.advance(std::chrono::ceil<milliseconds>(stop - clock.now()));
        run_until_idle(context);
    }
}

}  // namespace leasebox::testing
