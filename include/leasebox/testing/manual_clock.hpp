// A clock that moves only when it is told to, for tests and simulations.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "leasebox/clock.hpp"

namespace leasebox::testing {

/// Where a manual_clock starts unless told otherwise: 2100-01-01T00:00:00Z. It is ahead of every
/// real clock, since SQL that a producer runs by itself reads the real one.
inline constexpr store_time manual_clock_start{milliseconds{4'102'444'800'000}};

/// Safe from any thread. Timers are fired by advance() alone, in the order of their times; what
/// they call is posted to their executors, and an armed timer counts as their outstanding work,
/// as a real one does.
class manual_clock final : public clock {
public:
    explicit manual_clock(store_time wall = manual_clock_start);
    ~manual_clock() override;

    boot_time now() const override;
    clock_reading read() const override;
    std::unique_ptr<timer> make_timer(const boost::asio::any_io_executor& executor) override;

    /// Time passes: wall and boot clock go on together, and timers that are due fire.
    void advance(milliseconds by);
    /// Somebody sets the wall clock, forward or back. No time passes and no timer fires.
    void step_wall(milliseconds by);
    /// The host starts again: another boot id, and a boot clock near zero. The wall stays. Armed
    /// timers are dropped, since no process survives this.
    void reboot();
    /// The earliest time for which a timer is armed.
    std::optional<boot_time> next_timer() const;

private:
    struct alarm;
    class manual_timer;

    void add(const std::shared_ptr<alarm>& set);
    void remove(const std::shared_ptr<alarm>& set);

    mutable std::mutex mutex_;
    store_time wall_;
    boot_time boot_;
    std::list<std::string> boot_ids_;  ///< all of them, since readings refer to them
    std::multimap<boot_time, std::shared_ptr<alarm>> alarms_;
};

}  // namespace leasebox::testing
