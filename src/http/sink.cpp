#include "leasebox/http/sink.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "http/cancelled.hpp"
#include "http/classify.hpp"
#include "http/connect_race.hpp"
#include "http/context.hpp"
#include "http/dialer.hpp"
#include "http/exchange.hpp"
#include "http/options.hpp"
#include "http/pool.hpp"
#include "http/request.hpp"

namespace leasebox::http {

namespace asio = boost::asio;

namespace {

pool_limits limits_of(const destination_options& options) {
    return {static_cast<std::size_t>(options.connections_idle_max), options.idle_max,
            options.connection_age_max};
}

dialer make_dialer(context_parts& shared, const destination_options& options) {
    endpoint to = parse_endpoint(options.url);
    const tls_context tls = to.secure ? shared.trust(options.ca_file) : nullptr;
    const guard_policy policy{options.allow_private, options.allow_loopback};
    return dialer(std::move(to), policy, tls, shared.names(), shared.time());
}

class http_sink final : public sink {
public:
    http_sink(std::shared_ptr<context_parts> shared, destination_options options)
        : shared_(std::move(shared)),
          dialer_(make_dialer(*shared_, options)),
          keys_(options.secrets),
          reject_statuses_(std::move(options.reject_statuses)),
          resend_stale_(options.resend_stale),
          idle_(limits_of(options)) {}

    asio::awaitable<delivery> deliver(const claimed_event& event, boot_time deadline) override;
    void close() override { idle_.close(); }

private:
    asio::awaitable<void> attempt(const claimed_event& event, progress& so_far);
    asio::awaitable<exchange_end> send(std::shared_ptr<connection> link,
                                       std::shared_ptr<const std::string> request,
                                       progress& so_far);
    void note_cancellation(boot_time deadline, progress& so_far) const;

    std::shared_ptr<context_parts> shared_;
    dialer dialer_;
    signer keys_;
    std::vector<int> reject_statuses_;
    bool resend_stale_;
    pool idle_;
};

asio::awaitable<delivery> http_sink::deliver(const claimed_event& event, boot_time deadline) {
    // After a cancellation we still have to say how far it got, so that it must not throw.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    progress so_far;
    try {
        const bool late = co_await is_cancelled();
        if (!late) co_await attempt(event, so_far);
    } catch (const boost::system::system_error& thrown) {
        so_far.exhausted = is_exhaustion(thrown.code());
        so_far.trouble = std::string("the sending failed: ") + thrown.what();
    } catch (const std::exception& thrown) {
        so_far.trouble = std::string("the sending failed: ") + thrown.what();
    }
    const bool cancelled = co_await is_cancelled();
    if (cancelled && so_far.status == 0) note_cancellation(deadline, so_far);
    co_await asio::this_coro::throw_if_cancelled(throws);
    co_return classify(so_far, reject_statuses_, shared_->time().read().wall);
}

asio::awaitable<void> http_sink::attempt(const claimed_event& event, progress& so_far) {
    if (auto why = unsendable(event)) {
        so_far.unsendable = true;
        so_far.trouble = std::move(*why);
        co_return;
    }
    const auto request = std::make_shared<const std::string>(
        write_request(dialer_.to(), keys_, event, shared_->time().read().wall));
    if (const auto kept = idle_.take(shared_->time().now())) {
        const exchange_end end = co_await send(kept, request, so_far);
        const bool cancelled = co_await is_cancelled();
        if (!end.unheard || !resend_stale_ || cancelled) co_return;
    }
    const std::shared_ptr<connection> fresh = co_await dialer_.open(so_far);
    if (fresh) co_await send(fresh, request, so_far);
}

asio::awaitable<exchange_end> http_sink::send(std::shared_ptr<connection> link,
                                              std::shared_ptr<const std::string> request,
                                              progress& so_far) {
    exchange_end end;
    std::exception_ptr failed;
    try {
        end = co_await exchange(link, std::move(request), so_far);
    } catch (...) {
        failed = std::current_exception();
    }
    if (end.reusable) {
        idle_.give_back(link, shared_->time().now());
    } else {
        link->close();
    }
    if (failed) std::rethrow_exception(failed);
    co_return end;
}

void http_sink::note_cancellation(boot_time deadline, progress& so_far) const {
    const bool late = shared_->time().now() >= deadline;
    so_far.stopped = !late;
    so_far.trouble = late ? "the deadline passed " : "stopped ";
    switch (so_far.reached) {
        case phase::not_started:
            so_far.trouble += "before a connection was tried";
            break;
        case phase::connecting:
            so_far.trouble += "while connecting";
            break;
        case phase::writing:
            so_far.trouble += "while the request was being written";
            break;
        default:
            so_far.trouble += "while waiting for the answer";
            break;
    }
}

}  // namespace

std::shared_ptr<sink> make_sink(std::shared_ptr<context> shared, destination_options options) {
    check(options);
    return std::make_shared<http_sink>(shared->parts_, std::move(options));
}

}  // namespace leasebox::http
