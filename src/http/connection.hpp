// One connection to a consumer, plain or TLS. Used on one strand.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "http/tls.hpp"
#include "leasebox/core/time.hpp"

namespace leasebox::http {

class connection : public std::enable_shared_from_this<connection> {
public:
    using socket = boost::asio::ip::tcp::socket;

    /// What a write is told: how much has left so far; at its end once more, with `ended`.
    using write_progress =
        std::function<void(std::size_t written, bool ended, boost::system::error_code failed)>;

    connection(socket connected, boost::asio::ip::tcp::endpoint peer, boot_time opened_at);

    /// Awaitable functions complete with an error and never throw it. After cancellation the
    /// connection is of no more use.
    boost::asio::awaitable<boost::system::error_code> handshake(tls_context tls,
                                                                const endpoint& to);
    boost::asio::awaitable<std::size_t> read_some(std::span<char> into,
                                                  boost::system::error_code& failed);

    /// What has arrived already, without waiting; nothing under TLS. For after a cancellation.
    std::size_t read_arrived(std::span<char> into);

    /// Writes beside a read. `bytes` must live until `progress` was told the end; close() brings
    /// it about.
    void start_write(std::string_view bytes, write_progress progress);

    /// True where nothing came since the last answer: no data, no end, no error.
    bool is_quiet();
    void close() noexcept;

    /// Why the peer's certificate was refused; empty where it was not.
    std::string certificate_trouble() const;
    const boost::asio::ip::tcp::endpoint& peer() const noexcept { return peer_; }
    boot_time opened_at() const noexcept { return opened_at_; }

private:
    socket socket_;
    boost::asio::ip::tcp::endpoint peer_;
    boot_time opened_at_;
    tls_context context_;  // before the stream that uses it
    std::optional<boost::asio::ssl::stream<socket&>> tls_;
};

}  // namespace leasebox::http
