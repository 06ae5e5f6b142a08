// A server for tests that does exactly what a script says, also what no real server should.
#pragma once

#include <openssl/ssl.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace leasebox::testing {

/// One accepted connection, for a script. All calls block; they end early when the server is
/// destroyed, so that no script can hang.
class peer {
public:
    peer(int fd, SSL_CTX* tls);
    ~peer();
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    /// Head and body of the next request; empty where the client closed before its end.
    std::string read_request();
    /// Only the head; what came behind it is kept for the next read.
    std::string read_head();
    void send(std::string_view bytes);
    /// Reads until the client has closed, and returns what came.
    std::string read_to_end();
    void close();  ///< FIN; under TLS without close_notify
    void reset();  ///< RST
    /// Unblocks from another thread.
    void interrupt();

    /// The name the client asked for; empty without TLS or SNI.
    std::string server_name() const;
    bool handshake();  ///< does nothing without TLS

private:
    bool read_more();

    int fd_;
    SSL* tls_ = nullptr;
    std::string buffer_;
    std::mutex mutex_;  // of fd_, against interrupt
};

/// What happens on the nth connection; further connections run the last one.
using script = std::function<void(peer&)>;

class scripted_server {
public:
    /// Listens at an ephemeral port of `address`, or at `port` where it is not 0. `tls` must
    /// outlive the server.
    explicit scripted_server(std::vector<script> scripts, SSL_CTX* tls = nullptr,
                             const char* address = "127.0.0.1", std::uint16_t port = 0);
    ~scripted_server();
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    std::string url(std::string_view path = "/hook") const;
    int connections() const;
    /// From now on connections are refused; those that exist go on.
    void stop_listening();
    /// Waits for the script of the nth connection (from 0) to end.
    void wait_for_script(std::size_t at);

private:
    void accept_all();
    void serve(std::size_t at);

    std::vector<script> scripts_;
    SSL_CTX* tls_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<peer>> peers_;
    std::vector<bool> ended_;
    std::vector<std::thread> threads_;
    bool closing_ = false;
    std::thread acceptor_;
};

/// An answer with a body and its length.
std::string answer_text(int status, std::string_view body = {}, std::string_view headers = {});

/// A script that answers each request of its connection alike.
script always(std::string answer);

}  // namespace leasebox::testing
