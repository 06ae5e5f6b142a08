#include "dispatch/attempt.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

namespace leasebox::dispatch {

attempt::attempt(boost::asio::any_io_executor strand, clock& time, std::shared_ptr<sink> to,
                 claimed_event event)
    : clock_(time),
      sink_(std::move(to)),
      event_(std::move(event)),
      timer_(time.make_timer(strand)),
      ended_(strand) {}

boost::asio::awaitable<delivery> attempt::run(boost::asio::any_io_executor strand,
                                              boot_time deadline, milliseconds grace) {
    grace_ = grace;
    cancel_at(deadline);
    auto finished = [self = shared_from_this()](std::exception_ptr failed, delivery said) {
        self->finish(failed, std::move(said));
    };
    boost::asio::co_spawn(strand, sink_->deliver(event_, deadline),
                          boost::asio::bind_cancellation_slot(signal_.slot(), finished));
    while (!said_) co_await ended_.wait();
    timer_->cancel();
    co_return *said_;
}

boost::asio::awaitable<void> attempt::wait(boost::asio::any_io_executor strand,
                                           boot_time deadline) {
    const auto alarm = clock_.make_timer(strand);
    alarm->arm(deadline, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->ended_.notify();
    });
    while (!said_ && clock_.now() < deadline) co_await ended_.wait();
}

void attempt::cancel_at(boot_time deadline) {
    timer_->arm(deadline, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->cancel();
    });
}

void attempt::cancel() {
    if (said_ || std::exchange(cancelled_, true)) return;
    timer_->arm(clock_.now() + grace_, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->give_up();
    });
    signal_.emit(boost::asio::cancellation_type::terminal);
}

void attempt::finish(std::exception_ptr failed, delivery said) {
    if (said_) return;
    if (failed) {
        said = delivery(outcome::uncertain);
        try {
            std::rethrow_exception(failed);
        } catch (const std::exception& thrown) {
            said.what.detail = std::string("the sink threw: ") + thrown.what();
        } catch (...) {
            said.what.detail = "the sink threw something unknown";
        }
        said.threw = true;
    }
    said_ = std::move(said);
    ended_.notify();
}

void attempt::give_up() {
    if (said_) return;
    delivery lost(outcome::uncertain, "the sink did not end after its cancellation");
    lost.threw = true;
    said_ = std::move(lost);
    ended_.notify();
}

}  // namespace leasebox::dispatch
