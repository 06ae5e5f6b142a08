// A clock that a test moves by hand.
#pragma once

#include <algorithm>
#include <boost/asio/post.hpp>
#include <mutex>
#include <vector>

#include "leasebox/clock.hpp"

namespace leasebox::http {

class manual_clock final : public clock {
public:
    boot_time now() const override {
        const std::lock_guard lock(mutex_);
        return now_;
    }

    clock_reading read() const override { return {from_ms(1'614'265'330'000), now(), "test"}; }

    std::unique_ptr<timer> make_timer(const boost::asio::any_io_executor& executor) override {
        return std::make_unique<manual_timer>(*this, executor);
    }

    /// True while some timer waits.
    bool armed() const {
        const std::lock_guard lock(mutex_);
        return !armed_.empty();
    }

    void advance(milliseconds by) {
        const std::lock_guard lock(mutex_);
        now_ += by;
        std::erase_if(armed_, [&](const alarm& one) {
            if (one.at > now_) return false;
            boost::asio::post(one.executor, [state = one.state, round = one.round, f = one.fired] {
                if (*state == round) f();
            });
            return true;
        });
    }

private:
    struct alarm {
        boot_time at;
        boost::asio::any_io_executor executor;
        std::shared_ptr<int> state;  // which arm() of its timer counts
        int round;
        std::function<void()> fired;
    };

    class manual_timer final : public timer {
    public:
        manual_timer(manual_clock& of, boost::asio::any_io_executor executor)
            : clock_(of), executor_(std::move(executor)) {}
        ~manual_timer() override { cancel(); }

        void arm(boot_time at, std::function<void()> fired) override {
            cancel();
            const std::lock_guard lock(clock_.mutex_);
            clock_.armed_.push_back(alarm{at, executor_, state_, *state_, std::move(fired)});
        }

        void cancel() override {
            const std::lock_guard lock(clock_.mutex_);
            ++*state_;
            std::erase_if(clock_.armed_, [&](const alarm& one) { return one.state == state_; });
        }

    private:
        manual_clock& clock_;
        boost::asio::any_io_executor executor_;
        std::shared_ptr<int> state_ = std::make_shared<int>(0);
    };

    mutable std::mutex mutex_;
    boot_time now_{std::chrono::hours{1}};
    std::vector<alarm> armed_;
};

}  // namespace leasebox::http
