// One connection: reads a request, has it handled, answers, and goes on.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <memory>
#include <optional>

#include "apps/receive/consumer.hpp"
#include "apps/receive/response.hpp"
#include "leasebox/clock.hpp"

namespace leasebox::apps {

using socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                boost::asio::io_context::executor_type>;

/// Lives as long as one of its operations does.
class session : public std::enable_shared_from_this<session> {
public:
    session(socket peer, consumer& shared) : socket_(std::move(peer)), shared_(shared) {}

    void read();

private:
    using parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    using error_code = boost::system::error_code;

    void read_more();
    void on_read(const error_code& failed);
    void on_bad(const error_code& failed);
    void send_continue();

    void handle();
    void handle_post();
    void handle_get();
    /// Of what has a complete set of headers; answers 401 itself.
    bool is_verified();
    void receive();
    void submit(bool answers);
    void refuse(int status, std::string_view verdict, std::string_view sentence);
    void fail_on_purpose();
    void drop(mishap how);

    void answer_after_delay(outcome result);
    void answer(int status, std::string body, std::string headers = {});
    void write();
    void close();

    socket socket_;
    consumer& shared_;
    boost::beast::flat_buffer buffer_{128 * 1024};
    std::optional<parser> parser_;
    bool continued_ = false;
    delivery what_;
    response answer_;
    std::string bytes_;
    std::unique_ptr<timer> timer_;
};

}  // namespace leasebox::apps
