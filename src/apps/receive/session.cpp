#include "apps/receive/session.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>

namespace leasebox::apps {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using beast_http::field;
using beast_http::verb;

namespace {

constexpr std::uint32_t head_bytes_max = 64 * 1024;
constexpr std::uint64_t body_bytes_max = 2 * 1024 * 1024;

}  // namespace

void session::read() {
    parser_.emplace();
    parser_->header_limit(head_bytes_max);
    parser_->body_limit(body_bytes_max);
    parser_->eager(true);
    continued_ = false;
    read_more();
}

void session::read_more() {
    beast_http::async_read_some(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](const error_code& failed, std::size_t) {
            self->on_read(failed);
        });
}

void session::on_read(const error_code& failed) {
    if (failed) return on_bad(failed);
    if (parser_->is_done()) return handle();
    if (parser_->is_header_done() && !continued_ &&
        boost::beast::iequals(parser_->get()[field::expect], "100-continue")) {
        return send_continue();
    }
    read_more();
}

void session::on_bad(const error_code& failed) {
    const error_code ended = beast_http::error::end_of_stream;
    const bool of_the_socket = failed.category() != ended.category();
    if (of_the_socket || failed == ended || failed == beast_http::error::partial_message) {
        return close();
    }
    int status = 400;
    if (failed == beast_http::error::body_limit) status = 413;
    if (failed == beast_http::error::header_limit) status = 431;
    answer_ = {status, error_body(failed.message()), {}, false, false};
    write();
}

void session::send_continue() {
    continued_ = true;
    bytes_ = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(bytes_),
                      [self = shared_from_this()](const error_code& failed, std::size_t) {
                          if (!failed) self->read_more();
                      });
}

void session::handle() {
    const request& got = parser_->get();
    answer_ = {200, {}, {}, got.keep_alive(), got.method() == verb::head};
    if (got.method() == verb::post) return handle_post();
    if (got.method() == verb::get) return handle_get();
    answer(405, error_body("POST an event, or GET /stats"), "allow: GET, POST\r\n");
}

void session::handle_post() {
    shared_.said.count().requests += 1;
    std::string wrong;
    what_ = read_delivery(parser_->get(), wrong);
    if (!wrong.empty()) return refuse(400, "failed", wrong);
    if (is_verified()) receive();
}

void session::handle_get() {
    if (parser_->get().target() == "/stats") return answer(200, shared_.said.stats());
    std::string wrong;
    what_ = read_lookup(parser_->get(), wrong);
    // A bare 404 is no answer to a lookup.
    if (!wrong.empty()) return answer(404, error_body(wrong));
    if (is_verified()) submit(true);
}

bool session::is_verified() {
    if (!shared_.verifier) return true;
    const request& got = parser_->get();
    const std::string id(got["webhook-id"]);
    const std::string at(got["webhook-timestamp"]);
    const std::string signature(got["webhook-signature"]);
    const std::int64_t now_s = to_ms(system_clock().read().wall) / 1000;
    const auto check = shared_.verifier->check({id, at, signature}, got.body(), now_s);
    if (check == http::signature_check::valid) return true;
    refuse(401, "unverified", "the signature is not valid: " + std::string(to_string(check)));
    return false;
}

void session::receive() {
    const mishap wrong = shared_.next_mishap();
    switch (wrong) {
        case mishap::hang:
        case mishap::drop_before_apply: return drop(wrong);
        case mishap::fail: return fail_on_purpose();
        case mishap::drop_before_response:
        case mishap::none: break;
    }
    submit(wrong == mishap::none);
}

void session::submit(bool answers) {
    what_.body = std::move(parser_->get().body());
    shared_.together.submit(what_, answers, [self = shared_from_this(), answers](outcome result) {
        if (answers) return self->answer_after_delay(std::move(result));
        self->close();
    });
}

void session::refuse(int status, std::string_view verdict, std::string_view sentence) {
    if (what_.what == ask::apply) {
        shared_.said.count().failed += 1;
        shared_.said.handled(what_, verdict, status);
        shared_.said.flush();
    }
    answer(status, error_body(sentence));
}

void session::fail_on_purpose() {
    const auto& after = shared_.options.retry_after;
    if (after) {
        const auto whole = std::chrono::ceil<std::chrono::seconds>(*after);
        answer_.headers = "retry-after: " + std::to_string(whole.count()) + "\r\n";
    }
    refuse(shared_.options.status, "failed", "failed on purpose");
}

void session::drop(mishap how) {
    shared_.said.count().dropped += 1;
    shared_.said.handled(what_, "dropped", 0);
    shared_.said.flush();
    if (how != mishap::hang) return close();
    // Until the peer has had enough.
    socket_.async_wait(socket::wait_read,
                       [self = shared_from_this()](const error_code&) { self->close(); });
}

void session::answer_after_delay(outcome result) {
    std::string headers = result.replayed ? "idempotent-replayed: true\r\n" : "";
    if (shared_.options.delay.count() <= 0 || what_.what == ask::look_up) {
        return answer(result.status, std::move(result.body), std::move(headers));
    }
    if (!timer_) timer_ = system_clock().make_timer(socket_.get_executor());
    timer_->arm(system_clock().now() + shared_.options.delay,
                [self = shared_from_this(), kept = std::move(result), headers] {
                    self->answer(kept.status, kept.body, headers);
                });
}

void session::answer(int status, std::string body, std::string headers) {
    answer_.status = status;
    answer_.body = std::move(body);
    answer_.headers += headers;
    write();
}

void session::write() {
    bytes_ = bytes_of(answer_);
    asio::async_write(socket_, asio::buffer(bytes_),
                      [self = shared_from_this()](const error_code& failed, std::size_t) {
                          if (failed || !self->answer_.keep_alive) return self->close();
                          self->read();
                      });
}

void session::close() {
    error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_both, ignored);
    socket_.close(ignored);
}

}  // namespace leasebox::apps
