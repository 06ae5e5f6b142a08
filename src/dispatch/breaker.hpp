// Whether a destination that fails is left alone for a while. Pure: time and chance come in.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "leasebox/core/flow.hpp"

namespace leasebox::dispatch {

class breaker {
public:
    enum class change : std::uint8_t { none, opened, closed };

    explicit breaker(const breaker_options& how) : how_(how) {}

    /// Closed: as many may start as like to. Else nothing before open_until(), and after it one
    /// at a time, as the probe.
    bool is_closed() const { return !open_until_; }
    std::optional<boot_time> open_until() const { return open_until_; }
    bool is_probing() const { return probe_ != 0; }

    /// An attempt starts; the number names it at its end.
    std::uint64_t started(boot_time now);
    /// `random` is a word of 64 even bits. Attempts from before the last change say nothing.
    change ended(std::uint64_t number, bool failed, boot_time now, std::uint64_t random);
    /// The attempt ended and says nothing about the destination, or was counted already.
    void forget(std::uint64_t number);

private:
    struct tally {
        boot_time since;
        int ended = 0;
        int failed = 0;
    };

    void count(bool failed, boot_time now);
    bool is_failing() const;
    void open(boot_time now, std::uint64_t random);
    void close(boot_time now);

    breaker_options how_;
    std::deque<tally> tallies_;  ///< of parts of the window, oldest first
    int openings_ = 0;  ///< in a row, for the growth of the time
    std::optional<boot_time> open_until_;  ///< empty: closed
    boot_time closed_at_{};
    std::uint64_t number_ = 0;        ///< of the last attempt that started
    std::uint64_t counts_above_ = 0;  ///< attempts up to this one started before the last change
    std::uint64_t probe_ = 0;         ///< the number of the one in flight; 0: none
};

}  // namespace leasebox::dispatch
