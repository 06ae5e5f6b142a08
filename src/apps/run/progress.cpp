#include "apps/run/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace leasebox::apps {
namespace {

constexpr milliseconds redraw_every{500};

}  // namespace

void tally::on(const record& what) noexcept {
    if (what.what == occurrence::acknowledged && what.answer == verdict::accepted) {
        auto& count = what.result == outcome::delivered ? delivered_ : failed_;
        count.fetch_add(1, std::memory_order_relaxed);
    }
    if (what.at == state::dead) dead_.fetch_add(1, std::memory_order_relaxed);
    if (what.what == occurrence::settled && what.at == state::delivered) {
        delivered_.fetch_add(1, std::memory_order_relaxed);
    }
    if (next_) next_->on(what);
}

progress_line::progress_line(const boost::asio::any_io_executor& executor, clock& time,
                             std::shared_ptr<const tally> counts)
    : clock_(time),
      counts_(std::move(counts)),
      timer_(time.make_timer(executor)),
      shown_(isatty(STDERR_FILENO) != 0) {
    if (shown_) draw();
}

progress_line::~progress_line() {
    timer_->cancel();
    if (shown_) std::fputs("\r\x1b[K", stderr);
}

void progress_line::draw() {
    std::fprintf(stderr, "\r\x1b[K%lld delivered, %lld attempts failed, %lld dead",
                 static_cast<long long>(counts_->delivered()),
                 static_cast<long long>(counts_->failed()),
                 static_cast<long long>(counts_->dead()));
    std::fflush(stderr);
    timer_->arm(clock_.now() + redraw_every, [this] { draw(); });
}

}  // namespace leasebox::apps
