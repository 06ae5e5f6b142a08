#include "http/connection.hpp"

#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>

namespace leasebox::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t write_step_max = 64 * 1024;

template <class Stream>
void write_all(Stream& stream, std::string_view bytes, std::shared_ptr<connection> kept,
               const std::shared_ptr<connection::write_progress>& told) {
    const auto step = [told](const error_code& failed, std::size_t written) -> std::size_t {
        (*told)(written, false, {});
        return failed ? 0 : write_step_max;
    };
    asio::async_write(stream, asio::buffer(bytes.data(), bytes.size()), step,
                      [told, kept](const error_code& failed, std::size_t written) {
                          (*told)(written, true, failed);
                      });
}

}  // namespace

connection::connection(socket connected, asio::ip::tcp::endpoint peer, boot_time opened_at)
    : socket_(std::move(connected)), peer_(std::move(peer)), opened_at_(opened_at) {
    error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

asio::awaitable<error_code> connection::handshake(tls_context tls, const endpoint& to) {
    context_ = std::move(tls);
    tls_.emplace(socket_, *context_);
    error_code failed = asio::error::invalid_argument;
    if (!expect_peer(tls_->native_handle(), to)) co_return failed;
    co_await tls_->async_handshake(asio::ssl::stream_base::client,
                                   asio::redirect_error(asio::use_awaitable, failed));
    co_return failed;
}

std::size_t connection::read_arrived(std::span<char> into) {
    if (tls_) return 0;
    error_code failed;
    socket_.non_blocking(true, failed);
    if (failed) return 0;
    return socket_.read_some(asio::mutable_buffer(into.data(), into.size()), failed);
}

asio::awaitable<std::size_t> connection::read_some(std::span<char> into, error_code& failed) {
    const asio::mutable_buffer buffer(into.data(), into.size());
    std::size_t count = 0;
    if (tls_) {
        count = co_await tls_->async_read_some(buffer,
                                               asio::redirect_error(asio::use_awaitable, failed));
    } else {
        count = co_await socket_.async_read_some(buffer,
                                                 asio::redirect_error(asio::use_awaitable, failed));
    }
    co_return count;
}

void connection::start_write(std::string_view bytes, write_progress progress) {
    const auto told = std::make_shared<write_progress>(std::move(progress));
    if (tls_) {
        write_all(*tls_, bytes, shared_from_this(), told);
    } else {
        write_all(socket_, bytes, shared_from_this(), told);
    }
}

bool connection::is_quiet() {
    if (tls_ && SSL_pending(tls_->native_handle()) > 0) return false;
    char byte = 0;
    const ssize_t peeked = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return peeked < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void connection::close() noexcept {
    error_code ignored;
    socket_.close(ignored);
}

std::string connection::certificate_trouble() const {
    // OpenSSL takes a handle that may be changed, also where it only reads.
    auto& stream = const_cast<std::optional<asio::ssl::stream<socket&>>&>(tls_);
    return stream ? http::certificate_trouble(stream->native_handle()) : std::string();
}

}  // namespace leasebox::http
