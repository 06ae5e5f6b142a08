#include "http/connect_race.hpp"

#include <fcntl.h>

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <list>

#include "http/cancelled.hpp"

namespace leasebox::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

using tcp = asio::ip::tcp;

// Used on one strand. Its handlers keep it alive; abandon() makes them come soon.
class connect_race : public std::enable_shared_from_this<connect_race> {
public:
    connect_race(asio::any_io_executor strand, clock& time, std::vector<tcp::endpoint> to)
        : strand_(strand),
          clock_(time),
          to_(std::move(to)),
          parked_(strand, asio::steady_timer::time_point::max()) {}

    asio::awaitable<void> wait() {
        error_code ended;
        co_await parked_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    }

    void start_next();
    bool over() const { return result_.link || (pending_ == 0 && next_ == to_.size()); }
    void abandon();
    connected& result() { return result_; }

private:
    void on_connect(std::list<tcp::socket>::iterator at, const tcp::endpoint& peer,
                    const error_code& failed);
    void fail(const error_code& failed);
    void end();

    asio::any_io_executor strand_;
    clock& clock_;
    std::vector<tcp::endpoint> to_;
    std::unique_ptr<timer> stagger_;  // made where there is a second address
    asio::steady_timer parked_;       // never fires by itself; it is a way to wait
    std::list<tcp::socket> sockets_;
    std::size_t next_ = 0;
    int pending_ = 0;
    connected result_;
};

void connect_race::start_next() {
    if (next_ == to_.size()) return;
    const tcp::endpoint peer = to_[next_++];
    sockets_.emplace_back(strand_);
    const auto at = std::prev(sockets_.end());
    error_code failed;
    at->open(peer.protocol(), failed);
    if (failed) return fail(failed);
    // Asio leaves it open across exec, where a child would keep it from being closed.
    ::fcntl(at->native_handle(), F_SETFD, FD_CLOEXEC);
    ++pending_;
    at->async_connect(peer, [self = shared_from_this(), at, peer](const error_code& refused) {
        --self->pending_;
        self->on_connect(at, peer, refused);
    });
    if (next_ == to_.size()) return;
    if (!stagger_) stagger_ = clock_.make_timer(strand_);
    stagger_->arm(clock_.now() + connect_stagger, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && !self->over()) self->start_next();
    });
}

void connect_race::on_connect(std::list<tcp::socket>::iterator at, const tcp::endpoint& peer,
                              const error_code& failed) {
    if (result_.link) return;
    if (failed) return fail(failed);
    result_.link = std::make_shared<connection>(std::move(*at), peer, clock_.now());
    end();
}

void connect_race::fail(const error_code& failed) {
    result_.failed = failed;
    // Without the resource the next address would fail alike.
    if (is_exhaustion(failed)) next_ = to_.size();
    if (next_ < to_.size()) return start_next();
    if (over()) end();
}

void connect_race::end() {
    if (stagger_) stagger_->cancel();
    error_code ignored;
    for (tcp::socket& other : sockets_)
        other.close(ignored);
    parked_.cancel();
}

void connect_race::abandon() {
    next_ = to_.size();
    end();
}

}  // namespace

asio::awaitable<connected> connect_to_any(std::vector<tcp::endpoint> to, clock& time) {
    const auto strand = co_await asio::this_coro::executor;
    const auto race = std::make_shared<connect_race>(strand, time, std::move(to));
    race->start_next();
    bool cancelled = false;
    while (!race->over() && !cancelled) {
        co_await race->wait();
        cancelled = co_await is_cancelled();
    }
    race->abandon();
    connected result;
    result.failed = asio::error::operation_aborted;
    // A connection that came at the same moment is dropped: nothing may start on it any more.
    if (!cancelled) result = std::move(race->result());
    co_return result;
}

bool is_exhaustion(const error_code& failed) noexcept {
    if (failed.category() != boost::system::system_category()) return false;
    switch (failed.value()) {
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
            return true;
        default:
            return false;
    }
}

}  // namespace leasebox::http
