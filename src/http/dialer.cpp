#include "http/dialer.hpp"

#include "http/cancelled.hpp"
#include "http/connect_race.hpp"

namespace leasebox::http {

namespace asio = boost::asio;
using boost::system::error_code;

dialer::dialer(endpoint to, guard_policy policy, tls_context tls, resolver& names, clock& time)
    : to_(std::move(to)), policy_(policy), tls_(std::move(tls)), names_(names), clock_(time) {}

asio::awaitable<std::shared_ptr<connection>> dialer::open(progress& so_far) {
    std::vector<tcp::endpoint> to = co_await addresses(so_far);
    const bool cancelled = co_await is_cancelled();
    if (to.empty() || cancelled) co_return nullptr;
    if (so_far.reached < phase::connecting) so_far.reached = phase::connecting;
    const connected made = co_await connect_to_any(std::move(to), clock_);
    if (!made.link) {
        so_far.exhausted = is_exhaustion(made.failed);
        so_far.trouble = "could not connect: " + made.failed.message();
        co_return nullptr;
    }
    const bool ready = co_await secure(*made.link, so_far);
    if (ready) co_return made.link;
    made.link->close();
    co_return nullptr;
}

asio::awaitable<std::vector<asio::ip::tcp::endpoint>> dialer::addresses(progress& so_far) {
    std::vector<asio::ip::address> found;
    if (to_.literal) {
        found.push_back(*to_.literal);
    } else {
        resolved answer = co_await names_.resolve(to_.host);
        if (answer.failed) {
            so_far.exhausted = is_exhaustion(answer.failed);
            so_far.trouble = "could not resolve " + to_.host + ": " + answer.failed.message();
            co_return std::vector<tcp::endpoint>();
        }
        found = std::move(answer.addresses);
    }
    co_return allowed(found, so_far);
}

std::vector<asio::ip::tcp::endpoint> dialer::allowed(const std::vector<asio::ip::address>& found,
                                                     progress& so_far) const {
    std::vector<tcp::endpoint> good;
    for (const asio::ip::address& one : found) {
        const auto kind = refusal(one, policy_);
        if (!kind) {
            good.emplace_back(one, to_.port);
        } else {
            so_far.trouble = "the address " + one.to_string() +
                             " is refused: " + std::string(*kind) + " (see allow_private)";
        }
    }
    return good;
}

asio::awaitable<bool> dialer::secure(connection& link, progress& so_far) {
    if (!to_.secure) co_return true;
    const error_code failed = co_await link.handshake(tls_, to_);
    const bool cancelled = co_await is_cancelled();
    if (!failed) co_return !cancelled;
    const std::string refused = link.certificate_trouble();
    so_far.trouble = refused.empty() ? "TLS failed: " + failed.message()
                                     : "the certificate is refused: " + refused;
    co_return false;
}

}  // namespace leasebox::http
