// How many sends of one destination may be in flight, as its answers tell. Pure.
#pragma once

#include <chrono>
#include <optional>

namespace leasebox::dispatch {

/// Between 1 and what was configured: shrinks by a factor while failures or latency rise, grows
/// by about one a round of answers, and from 1 by doubling after a restart.
class adaptive_limit {
public:
    /// Where not `adapts`, it always is `most`.
    adaptive_limit(int most, bool adapts) : most_(most), adapts_(adapts), limit_(most) {}

    int now() const { return static_cast<int>(limit_); }

    void succeeded(std::chrono::nanoseconds took);
    void failed();
    /// The destination is back after trouble: from one on, doubling with each round.
    void restart();

private:
    void learn(std::chrono::nanoseconds took);
    bool is_slow() const;
    void shrink(double factor);
    void grow();

    int most_;
    bool adapts_;
    double limit_;
    bool slow_start_ = false;
    double failures_ = 0;  ///< their share among the last few attempts
    int settling_ = 0;     ///< answers still to come from before the last change
    std::optional<double> latency_;  ///< seconds, over the last few answers
    double usual_ = 0;               ///< the lowest that it was, forgotten slowly
};

}  // namespace leasebox::dispatch
