// What has been done so far, for a person who waits: one line that is written over itself.
#pragma once

#include <atomic>
#include <memory>

#include "leasebox/clock.hpp"
#include "leasebox/observer.hpp"

namespace leasebox::apps {

/// Counts what passes on its way to the next observer.
class tally final : public observer {
public:
    explicit tally(std::shared_ptr<observer> next) : next_(std::move(next)) {}
    void on(const record& what) noexcept override;

    std::int64_t delivered() const { return delivered_; }
    std::int64_t failed() const { return failed_; }
    std::int64_t dead() const { return dead_; }

private:
    const std::shared_ptr<observer> next_;
    std::atomic<std::int64_t> delivered_{0};
    std::atomic<std::int64_t> failed_{0};
    std::atomic<std::int64_t> dead_{0};
};

/// Writes the counts to stderr twice a second, on a terminal only. Used on one strand.
class progress_line {
public:
    progress_line(const boost::asio::any_io_executor& executor, clock& time,
                  std::shared_ptr<const tally> counts);
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

private:
    void draw();

    clock& clock_;
    const std::shared_ptr<const tally> counts_;
    const std::unique_ptr<timer> timer_;
    const bool shown_;
};

}  // namespace leasebox::apps
