#include "leasebox/testing/manual_clock.hpp"

#include <atomic>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <utility>
#include <vector>

namespace leasebox::testing {
namespace {

// Neither start is zero, so that a time that nobody has set is not taken for one.
constexpr boot_time first_boot{std::chrono::hours{1}};
constexpr boot_time after_reboot{std::chrono::seconds{10}};

}  // namespace

// One arming of a timer. What was posted asks it again whether it still counts.
struct manual_clock::alarm {
    alarm(const boost::asio::any_io_executor& where, boot_time when, std::function<void()> call)
        : executor(boost::asio::prefer(where, boost::asio::execution::outstanding_work.tracked)),
          at(when),
          fired(std::move(call)) {}

    static void post(const std::shared_ptr<alarm>& due) {
        boost::asio::post(due->executor, [due] {
            if (due->live.exchange(false)) due->fired();
        });
    }

    boost::asio::any_io_executor executor;
    boot_time at;
    std::function<void()> fired;
    std::atomic<bool> live = true;
};

class manual_clock::manual_timer final : public timer {
public:
    manual_timer(manual_clock& owner, const boost::asio::any_io_executor& executor)
        : clock_(owner), executor_(executor) {}
    ~manual_timer() override { disarm(); }

    void arm(boot_time at, std::function<void()> fired) override {
        // Made before the old one goes, so that the executor is not out of work in between.
        auto next = std::make_shared<alarm>(executor_, at, std::move(fired));
        disarm();
        alarm_ = std::move(next);
        clock_.add(alarm_);
    }

    void cancel() override { disarm(); }

private:
    void disarm() {
        if (!alarm_) return;
        alarm_->live = false;
        clock_.remove(alarm_);
        alarm_.reset();
    }

    manual_clock& clock_;
    boost::asio::any_io_executor executor_;
    std::shared_ptr<alarm> alarm_;
};

manual_clock::manual_clock(store_time wall)
    : wall_(wall), boot_(first_boot), boot_ids_{"manual-boot-1"} {}

manual_clock::~manual_clock() = default;

boot_time manual_clock::now() const {
    const std::lock_guard lock(mutex_);
    return boot_;
}

clock_reading manual_clock::read() const {
    const std::lock_guard lock(mutex_);
    return {wall_, boot_, boot_ids_.back()};
}

std::unique_ptr<timer> manual_clock::make_timer(const boost::asio::any_io_executor& executor) {
    return std::make_unique<manual_timer>(*this, executor);
}

void manual_clock::advance(milliseconds by) {
    std::vector<std::shared_ptr<alarm>> due;
    {
        const std::lock_guard lock(mutex_);
        wall_ += by;
        boot_ += by;
        const auto end = alarms_.upper_bound(boot_);
        for (auto at = alarms_.begin(); at != end; ++at)
            due.push_back(at->second);
        alarms_.erase(alarms_.begin(), end);
    }
    for (const auto& each : due)
        alarm::post(each);
}

void manual_clock::step_wall(milliseconds by) {
    const std::lock_guard lock(mutex_);
    wall_ += by;
}

void manual_clock::reboot() {
    std::multimap<boot_time, std::shared_ptr<alarm>> dropped;
    const std::lock_guard lock(mutex_);
    boot_ids_.push_back("manual-boot-" + std::to_string(boot_ids_.size() + 1));
    boot_ = after_reboot;
    dropped.swap(alarms_);
    for (const auto& [at, each] : dropped)
        each->live = false;
}

std::optional<boot_time> manual_clock::next_timer() const {
    const std::lock_guard lock(mutex_);
    if (alarms_.empty()) return std::nullopt;
    return alarms_.begin()->first;
}

void manual_clock::add(const std::shared_ptr<alarm>& set) {
    {
        const std::lock_guard lock(mutex_);
        if (set->at > boot_) {
            alarms_.emplace(set->at, set);
            return;
        }
    }
    alarm::post(set);
}

void manual_clock::remove(const std::shared_ptr<alarm>& set) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = alarms_.equal_range(set->at);
    for (auto at = first; at != last; ++at) {
        if (at->second != set) continue;
        alarms_.erase(at);
        return;
    }
}

}  // namespace leasebox::testing
