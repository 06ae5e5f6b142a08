#include <boost/asio/basic_waitable_timer.hpp>
#include <ctime>
#include <fstream>
#include <utility>

#include "leasebox/clock.hpp"

namespace leasebox {
namespace {

std::chrono::nanoseconds read_kernel(clockid_t which) noexcept {
    timespec at{};
    clock_gettime(which, &at);
    return std::chrono::seconds{at.tv_sec} + std::chrono::nanoseconds{at.tv_nsec};
}

// What Asio needs of a clock. CLOCK_BOOTTIME goes on while the host is suspended, as leases do.
struct kernel_boot_clock {
    using duration = boot_clock::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<kernel_boot_clock, duration>;
    [[maybe_unused]] static constexpr bool is_steady = true;
    static time_point now() noexcept { return time_point{read_kernel(CLOCK_BOOTTIME)}; }
};

// Asio sleeps on CLOCK_MONOTONIC, which stands still during a suspension: with short sleeps it
// looks at the boot clock again soon after the host is back.
struct short_waits {
    static constexpr kernel_boot_clock::duration wait_max = std::chrono::seconds{1};

    static kernel_boot_clock::duration to_wait_duration(const kernel_boot_clock::duration& left) {
        return std::min(left, wait_max);
    }
    static kernel_boot_clock::duration to_wait_duration(const kernel_boot_clock::time_point& at) {
        return to_wait_duration(at - kernel_boot_clock::now());
    }
};

class kernel_timer final : public timer {
public:
    explicit kernel_timer(const boost::asio::any_io_executor& executor) : timer_(executor) {}
    ~kernel_timer() override { *armed_ += 1; }

    void arm(boot_time at, std::function<void()> fired) override {
        timer_.expires_at(kernel_boot_clock::time_point{at.time_since_epoch()});
        // A wait that has ended can't be cancelled any more, so it checks whether it still counts.
        const std::uint64_t mine = *armed_ += 1;
        timer_.async_wait([armed = armed_, mine, call = std::move(fired)](
                              const boost::system::error_code& failed) {
            if (!failed && *armed == mine) call();
        });
    }

    void cancel() override {
        *armed_ += 1;
        timer_.cancel();
    }

private:
    boost::asio::basic_waitable_timer<kernel_boot_clock, short_waits> timer_;
    std::shared_ptr<std::uint64_t> armed_ = std::make_shared<std::uint64_t>(0);
};

std::string read_boot_id() {
    std::string id;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, id);
    return id;
}

class kernel_clock final : public clock {
public:
    boot_time now() const override { return boot_time{read_kernel(CLOCK_BOOTTIME)}; }

    clock_reading read() const override {
        const auto wall = std::chrono::duration_cast<milliseconds>(read_kernel(CLOCK_REALTIME));
        return {store_time{wall}, now(), boot_id_};
    }

    std::unique_ptr<timer> make_timer(const boost::asio::any_io_executor& executor) override {
        return std::make_unique<kernel_timer>(executor);
    }

private:
    const std::string boot_id_ = read_boot_id();
};

}  // namespace

clock& system_clock() {
    // Never destroyed, since stores and timers of static duration may still use it.
    static auto* const instance = new kernel_clock;
    return *instance;
}

}  // namespace leasebox
