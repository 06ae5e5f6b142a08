// What a lane's consumer will never see: events that were given up or withdrawn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leasebox/core/words.hpp"

namespace leasebox {

/// The lane-seq numbers that were settled without a delivery since the last delivered one. Each
/// send of the lane announces those before it, so that its consumer can tell a gap from a loss.
class lane_gap {
public:
    lane_gap() = default;
    /// From what a store has kept: text() and delivered().
    lane_gap(std::string_view text, std::int64_t delivered);

    /// An event of the lane moved: it `occupied` the lane, and does or does not any more.
    void moved(std::int64_t lane_seq, bool occupied, bool occupies, state at);

    /// The numbers before `lane_seq`, such as "3,5-7"; empty where there are none.
    std::string before(std::int64_t lane_seq) const;
    std::string text() const;
    std::int64_t delivered() const noexcept { return delivered_; }

    friend bool operator==(const lane_gap&, const lane_gap&) = default;

private:
    void add(std::int64_t number);
    void remove(std::int64_t number);

    std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;  ///< ascending, not touching
    std::int64_t delivered_ = 0;                                 ///< the highest number
};

}  // namespace leasebox
