#include "dispatch/breaker.hpp"

#include "leasebox/core/budget.hpp"

namespace leasebox::dispatch {
namespace {

// The window moves on by this part of itself.
constexpr int parts = 10;

}  // namespace

std::uint64_t breaker::started(boot_time now) {
    number_ += 1;
    if (open_until_ && now >= *open_until_ && probe_ == 0) probe_ = number_;
    return number_;
}

breaker::change breaker::ended(std::uint64_t number, bool failed, boot_time now,
                               std::uint64_t random) {
    if (open_until_) {
        if (probe_ == 0 || number != probe_) return change::none;
        probe_ = 0;
        if (failed) {
            open(now, random);
            return change::none;
        }
        close(now);
        return change::closed;
    }
    if (number <= counts_above_) return change::none;
    count(failed, now);
    if (!is_failing()) return change::none;
    // A destination that comes and goes is not asked every second for ever.
    if (now - closed_at_ > how_.open_max) openings_ = 0;
    open(now, random);
    return change::opened;
}

void breaker::forget(std::uint64_t number) {
    if (number == probe_) probe_ = 0;
}

void breaker::count(bool failed, boot_time now) {
    while (!tallies_.empty() && now - tallies_.front().since >= how_.window)
        tallies_.pop_front();
    if (tallies_.empty() || now - tallies_.back().since >= how_.window / parts) {
        tallies_.push_back({now});
    }
    tallies_.back().ended += 1;
    tallies_.back().failed += failed ? 1 : 0;
}

bool breaker::is_failing() const {
    std::int64_t ended = 0;
    std::int64_t failures = 0;
    for (const tally& part : tallies_) {
        ended += part.ended;
        failures += part.failed;
    }
    return ended >= how_.attempts_min && failures * 100 > ended * how_.failure_percent;
}

// From a half of the bound to all of it, so that many dispatchers do not probe together, and yet
// each time longer than the last.
void breaker::open(boot_time now, std::uint64_t random) {
    if (openings_ < 64) openings_ += 1;
    const backoff growth{how_.open_first, how_.open_max};
    const milliseconds bound = growth.bound(openings_);
    const milliseconds half = (bound + milliseconds{1}) / 2;
    const auto extra = random % static_cast<std::uint64_t>((bound - half).count() + 1);
    open_until_ = now + half + milliseconds{extra};
    tallies_.clear();
}

void breaker::close(boot_time now) {
    open_until_.reset();
    closed_at_ = now;
    counts_above_ = number_;
    tallies_.clear();
}

}  // namespace leasebox::dispatch
