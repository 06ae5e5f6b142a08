#include "http/resolver.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/cancelled.hpp"
#include "http/lookup_desk.hpp"

namespace leasebox::http {

namespace asio = boost::asio;

namespace {

// Leaves in its destructor, also where the coroutine is destroyed with its context.
class visit {
public:
    visit(std::shared_ptr<lookup_desk> desk, std::string name,
          std::shared_ptr<lookup_waiter> waiter)
        : desk_(std::move(desk)), name_(std::move(name)), waiter_(std::move(waiter)) {
        waiter_->answer = desk_->ask(name_, waiter_);
    }
    ~visit() { desk_->leave(name_, waiter_); }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

private:
    std::shared_ptr<lookup_desk> desk_;
    std::string name_;
    std::shared_ptr<lookup_waiter> waiter_;
};

}  // namespace

resolver::resolver(clock& time, name_lookup lookup, resolver_limits limits)
    : desk_(std::make_shared<lookup_desk>(time, lookup ? std::move(lookup) : look_up_on_host,
                                          limits)) {}

resolver::~resolver() {
    desk_->close();
}

asio::awaitable<resolved> resolver::resolve(std::string name) {
    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<lookup_waiter>(executor);
    const visit waiting(desk_, std::move(name), waiter);
    while (!waiter->answer) {
        boost::system::error_code ended;
        co_await waiter->parked.async_wait(asio::redirect_error(asio::use_awaitable, ended));
        if (co_await is_cancelled()) break;
    }
    resolved answer;
    answer.failed = asio::error::operation_aborted;
    if (waiter->answer) answer = *waiter->answer;
    co_return answer;
}

}  // namespace leasebox::http
