#include "leasebox/dispatcher.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "dispatch/engine.hpp"

namespace leasebox {
namespace {

// Keeps a handler until its operation ends, and the handler's executor busy until then. Held by
// a shared pointer, since any_completion_handler must not be assigned in this Boost.
template <class Handler>
class waiting {
    using executor_type =
        boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;

public:
    waiting(Handler handler, const boost::asio::any_io_executor& ours)
        : handler_(std::move(handler)),
          executor_(boost::asio::get_associated_executor(handler_, ours)),
          work_(executor_),
          ours_(ours) {}

    auto slot() const { return boost::asio::get_associated_cancellation_slot(handler_); }

    template <class... Results>
    static void complete(std::shared_ptr<waiting> self, Results... results) {
        // A handler's executor can only be dispatched to, so the step off this thread is ours.
        const auto ours = self->ours_.get_executor();
        boost::asio::post(ours, [self = std::move(self), results...]() mutable {
            const auto executor = self->executor_;
            boost::asio::dispatch(executor, [self, results...]() mutable {
                self->finish(std::move(results)...);
            });
        });
    }

private:
    template <class... Results>
    void finish(Results... results) {
        auto connected = slot();
        if (connected.is_connected()) connected.clear();
        work_.reset();
        ours_.reset();
        std::move(handler_)(std::move(results)...);
    }

    Handler handler_;
    executor_type executor_;
    boost::asio::executor_work_guard<executor_type> work_;
    boost::asio::executor_work_guard<boost::asio::any_io_executor> ours_;
};

template <class Handler>
auto hold(Handler handler, const boost::asio::any_io_executor& fallback) {
    return std::make_shared<waiting<Handler>>(std::move(handler), fallback);
}

}  // namespace

dispatcher::dispatcher(boost::asio::any_io_executor executor, std::shared_ptr<store> events,
                       dispatcher_options options, std::shared_ptr<observer> watcher, clock& time)
    : executor_(executor),
      engine_(std::make_shared<dispatch::engine>(std::move(executor), std::move(events),
                                                 std::move(options), std::move(watcher), time)) {}

dispatcher::~dispatcher() { engine_->close(); }

void dispatcher::serve(std::string destination, std::shared_ptr<sink> to,
                       destination_options how) {
    engine_->serve(std::move(destination), std::move(to), how);
}

void dispatcher::start_run(run_handler handler) {
    auto held = hold(std::move(handler), executor_);
    auto slot = held->slot();
    if (slot.is_connected()) {
        slot.assign([weak = std::weak_ptr(engine_)](boost::asio::cancellation_type how) {
            const bool hard = (how & boost::asio::cancellation_type::terminal) !=
                              boost::asio::cancellation_type::none;
            if (const auto running = weak.lock()) {
                running->stop(hard ? stop_kind::hard : stop_kind::soft);
            }
        });
    }
    engine_->run([held](boost::system::error_code ec) { held->complete(held, ec); });
}

void dispatcher::start_append(draft event, append_handler handler) {
    auto held = hold(std::move(handler), executor_);
    engine_->append(std::move(event), [held](boost::system::error_code ec, receipt got) {
        held->complete(held, ec, std::move(got));
    });
}

void dispatcher::start_transact(std::function<void(transaction&)> function, run_handler handler) {
    auto held = hold(std::move(handler), executor_);
    engine_->transact(std::move(function),
                      [held](boost::system::error_code ec) { held->complete(held, ec); });
}

void dispatcher::start_flush(run_handler handler) {
    auto held = hold(std::move(handler), executor_);
    engine_->flush([held](boost::system::error_code ec) { held->complete(held, ec); });
}

void dispatcher::notify() { engine_->notify(); }

void dispatcher::stop(stop_kind how) { engine_->stop(how); }

dispatcher_status dispatcher::status() const { return engine_->status(); }

std::map<std::string, destination_status> dispatcher::destinations() const {
    return engine_->destinations();
}

const std::string& dispatcher::owner() const noexcept { return engine_->owner(); }

}  // namespace leasebox
