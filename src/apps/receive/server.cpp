#include "apps/receive/server.hpp"

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>

#include "apps/receive/session.hpp"
#include "leasebox/core/error.hpp"

namespace leasebox::apps {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr milliseconds accept_pause{100};

std::string in_brackets(const std::string& host) {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

[[noreturn]] void cannot_listen(const receive_options& options, const error_code& failed) {
    throw error(errc::io, "listening on " + in_brackets(options.host) + ":" +
                              std::to_string(options.port) + ": " + failed.message());
}

tcp::acceptor open_acceptor(asio::io_context& io, const receive_options& options) {
    error_code failed;
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                        tcp::resolver::passive, failed);
    if (failed || found.empty()) cannot_listen(options, failed);
    const tcp::endpoint at = found.begin()->endpoint();
    tcp::acceptor acceptor(io);
    acceptor.open(at.protocol(), failed);
    if (!failed) acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed) acceptor.bind(at, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) cannot_listen(options, failed);
    return acceptor;
}

std::optional<http::verifier> make_verifier(const receive_options& options) {
    if (options.secrets.empty()) return std::nullopt;
    try {
        return http::verifier(options.secrets);
    } catch (const error& wrong) {
        throw error(errc::invalid_option, "--secret: " + wrong.sentence());
    }
}

line_form form_of(const receive_options& options) {
    if (options.json) return line_form::json;
    return options.log ? line_form::text : line_form::none;
}

// The io_context comes first, so that it outlives what waits in the batcher.
class server {
public:
    explicit server(const receive_options& options)
        : book_(options),
          said_(form_of(options)),
          together_(io_, book_, said_),
          shared_{options, said_, together_, make_verifier(options)},
          acceptor_(open_acceptor(io_, options)) {}

    void run() {
        if (!shared_.verifier) {
            std::cerr << "leasebox: no secret, so no signature is verified" << std::endl;
        }
        signals_.async_wait([this](const error_code&, int) { io_.stop(); });
        accept();
        const std::string host = in_brackets(shared_.options.host);
        const auto port = acceptor_.local_endpoint().port();
        said_.listening((std::string("http://") + host + ":").append(std::to_string(port)) + "/");
        io_.run();
    }

private:
    void accept() {
        acceptor_.async_accept(io_, [this](const error_code& failed, socket peer) {
            if (failed) return accept_later(failed);
            error_code ignored;
            peer.set_option(tcp::no_delay(true), ignored);
            std::make_shared<session>(std::move(peer), shared_)->read();
            accept();
        });
    }

    // Such as too many open files: what is open may be closed soon.
    void accept_later(const error_code& failed) {
        std::cerr << "leasebox: accepting a connection: " << failed.message() << std::endl;
        pause_->arm(system_clock().now() + accept_pause, [this] { accept(); });
    }

    asio::io_context io_{1};
    ledger book_;
    report said_;
    batcher together_;
    consumer shared_;
    tcp::acceptor acceptor_;
    asio::signal_set signals_{io_, SIGINT, SIGTERM};
    std::unique_ptr<timer> pause_ = system_clock().make_timer(io_.get_executor());
};

}  // namespace

int run_receive(const receive_options& options) {
    server one(options);
    one.run();
    return 0;
}

}  // namespace leasebox::apps
