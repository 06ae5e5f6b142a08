#include "support/scripted_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace leasebox::testing {
namespace {

std::size_t content_length(std::string_view head) {
    constexpr std::string_view name = "content-length: ";
    const auto at = head.find(name);
    return at == std::string_view::npos ? 0
                                        : std::stoul(std::string(head.substr(at + name.size())));
}

int listen_at(const char* address, std::uint16_t port) {
    const bool v6 = std::strchr(address, ':') != nullptr;
    const int fd = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in in4{};
    in4.sin_family = AF_INET;
    in4.sin_port = htons(port);
    sockaddr_in6 in6{};
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(port);
    ::inet_pton(in4.sin_family, address, &in4.sin_addr);
    ::inet_pton(in6.sin6_family, address, &in6.sin6_addr);
    const auto* const where =
        v6 ? reinterpret_cast<const sockaddr*>(&in6) : reinterpret_cast<const sockaddr*>(&in4);
    const socklen_t size = v6 ? sizeof in6 : sizeof in4;
    if (::bind(fd, where, size) != 0 || ::listen(fd, 64) != 0) {
        ::close(fd);
        throw std::runtime_error(std::string("can't listen at ") + address);
    }
    return fd;
}

std::uint16_t port_of(int fd) {
    sockaddr_in6 bound{};
    socklen_t size = sizeof bound;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
    return ntohs(bound.sin6_port);  // at the same place in both families
}

}  // namespace

peer::peer(int fd, SSL_CTX* tls) : fd_(fd) {
    // Else the kernel may hold back an answer, and a reset right after it would discard it.
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (tls == nullptr) return;
    tls_ = SSL_new(tls);
    SSL_set_fd(tls_, fd);
}

peer::~peer() {
    close();
    SSL_free(tls_);
}

bool peer::handshake() {
    return tls_ == nullptr || SSL_accept(tls_) == 1;
}

bool peer::read_more() {
    std::array<char, 16384> chunk;
    const auto count = tls_ != nullptr
                           ? SSL_read(tls_, chunk.data(), static_cast<int>(chunk.size()))
                           : static_cast<int>(::recv(fd_, chunk.data(), chunk.size(), 0));
    if (count > 0) buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    return count > 0;
}

std::string peer::read_head() {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!read_more()) return {};
    }
    std::string head = buffer_.substr(0, end + 4);
    buffer_.erase(0, end + 4);
    return head;
}

std::string peer::read_request() {
    std::string head = read_head();
    const std::size_t length = content_length(head);
    while (buffer_.size() < length) {
        if (!read_more()) return {};
    }
    head += buffer_.substr(0, length);
    buffer_.erase(0, length);
    return head;
}

std::string peer::read_to_end() {
    while (read_more()) {
    }
    return std::move(buffer_);
}

void peer::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count =
            tls_ != nullptr
                ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                : static_cast<int>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        if (count <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void peer::close() {
    const std::lock_guard lock(mutex_);
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

void peer::reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
}

void peer::interrupt() {
    const std::lock_guard lock(mutex_);
    if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

std::string peer::server_name() const {
    const char* const name =
        tls_ != nullptr ? SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name) : nullptr;
    return name != nullptr ? name : "";
}

scripted_server::scripted_server(std::vector<script> scripts, SSL_CTX* tls, const char* address,
                                 std::uint16_t port)
    : scripts_(std::move(scripts)),
      tls_(tls),
      listener_(listen_at(address, port)),
      port_(port_of(listener_)) {
    // OpenSSL writes to sockets that a test has closed.
    if (tls != nullptr) std::signal(SIGPIPE, SIG_IGN);
    acceptor_ = std::thread([this] { accept_all(); });
}

scripted_server::~scripted_server() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        for (const auto& one : peers_)
            one->interrupt();
    }
    stop_listening();
    acceptor_.join();
    for (std::thread& one : threads_)
        one.join();
    ::close(listener_);
}

std::string scripted_server::url(std::string_view path) const {
    return (tls_ != nullptr ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_) +
           std::string(path);
}

int scripted_server::connections() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(peers_.size());
}

void scripted_server::stop_listening() {
    ::shutdown(listener_, SHUT_RDWR);
}

void scripted_server::wait_for_script(std::size_t at) {
    std::unique_lock lock(mutex_);
    const bool ended = changed_.wait_for(lock, std::chrono::seconds{20},
                                         [&] { return at < ended_.size() && ended_[at]; });
    if (!ended) throw std::runtime_error("the script did not end");
}

void scripted_server::accept_all() {
    while (true) {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const std::lock_guard lock(mutex_);
        if (fd < 0) return;
        const auto accepted = std::make_shared<peer>(fd, tls_);
        if (closing_) return;
        peers_.push_back(accepted);
        ended_.push_back(false);
        threads_.emplace_back([this, at = peers_.size() - 1] { serve(at); });
    }
}

void scripted_server::serve(std::size_t at) {
    std::shared_ptr<peer> with;
    {
        const std::lock_guard lock(mutex_);
        with = peers_[at];
    }
    if (with->handshake()) scripts_[std::min(at, scripts_.size() - 1)](*with);
    with->close();
    const std::lock_guard lock(mutex_);
    ended_[at] = true;
    changed_.notify_all();
}

std::string answer_text(int status, std::string_view body, std::string_view headers) {
    return "HTTP/1.1 " + std::to_string(status) + " Some Reason\r\n" + std::string(headers) +
           "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

script always(std::string answer) {
    return [answer = std::move(answer)](peer& client) {
        while (!client.read_request().empty())
            client.send(answer);
    };
}

}  // namespace leasebox::testing
