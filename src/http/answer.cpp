#include "http/answer.hpp"

#include <boost/asio/buffer.hpp>

namespace leasebox::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::system::error_code;

constexpr std::string_view head_end = "\r\n\r\n";

// A head whose framing contradicts itself is complete all the same: its status counts, only the
// body and the connection can't be used.
bool is_framing_error(const error_code& failed) {
    return failed == beast_http::error::bad_content_length ||
           failed == beast_http::error::multiple_content_length ||
           failed == beast_http::error::bad_transfer_encoding;
}

}  // namespace

answer_reader::answer_reader() {
    restart();
}

void answer_reader::restart() {
    parser_.emplace();
    parser_->header_limit(head_bytes_max);
    // No limit in Beast: there a content-length above it would fail the head itself. The body is
    // bounded where it is read.
    parser_->body_limit(boost::none);
    parser_->eager(true);
}

void answer_reader::put(std::string_view bytes) {
    if (bytes.empty() || finished_) return;
    started_ = true;
    pending_.append(bytes);
    if (status_ == 0) read_head();
    if (status_ != 0 && !finished_) read_body();
}

void answer_reader::read_head() {
    while (status_ == 0 && !finished_) {
        const auto end = pending_.find(head_end);
        const std::size_t size = end == std::string::npos ? pending_.size() : end + head_end.size();
        if (head_bytes_ + size > head_bytes_max) {
            return give_up("the answer's head is longer than 64 KiB");
        }
        if (end == std::string::npos) return;
        error_code failed;
        parser_->put(boost::asio::buffer(pending_.data(), size), failed);
        head_bytes_ += size;
        pending_.erase(0, size);
        accept_head(failed);
    }
}

void answer_reader::accept_head(const error_code& failed) {
    const bool parsed = parser_->is_header_done();
    if (!parsed && !is_framing_error(failed)) {
        return give_up("the answer's head is unreadable: " + failed.message());
    }
    const int status = static_cast<int>(parser_->get().result_int());
    if (status < 100 || status == 101) {
        return give_up("the answer has the unexpected status " + std::to_string(status));
    }
    if (status < 200) return restart();
    status_ = status;
    if (!parsed) finished_ = true;
    if (parser_->is_done()) finish_body({});
}

void answer_reader::read_body() {
    error_code failed;
    while (!pending_.empty() && !failed && !parser_->is_done()) {
        const std::size_t used =
            parser_->put(boost::asio::buffer(pending_.data(), pending_.size()), failed);
        pending_.erase(0, used);
    }
    // A chunk's header is parsed only once it is whole, and may not grow for ever.
    if (failed == beast_http::error::need_more && pending_.size() <= head_bytes_max) failed = {};
    if (failed || parser_->is_done()) return finish_body(failed);
    stop_where_the_rest_is_useless();
}

void answer_reader::finish_body(const error_code& failed) {
    finished_ = true;
    exact_ = !failed && parser_->is_done() && parser_->keep_alive();
}

// An answer without a length ends with the connection, one above the bound is not read to its
// end: nothing of them is worth waiting for, except for the excerpt of an error.
void answer_reader::stop_where_the_rest_is_useless() {
    const auto length = parser_->content_length();
    const auto& body = parser_->get().body();
    const bool endless = parser_->need_eof() || (length && *length > body_bytes_max);
    const bool excerpt_done = status_ < 300 || body.text.size() >= excerpt_bytes_max;
    if (body.bytes > body_bytes_max || (endless && excerpt_done)) finished_ = true;
}

void answer_reader::put_end() {
    if (finished_) return;
    if (status_ == 0) {
        return give_up(started_ ? "the connection was closed inside the answer's head"
                                : "the connection was closed without an answer");
    }
    finished_ = true;
}

void answer_reader::give_up(std::string why) {
    trouble_ = std::move(why);
    finished_ = true;
}

std::string answer_reader::header(std::string_view name) const {
    const auto value = parser_->get()[boost::beast::string_view(name.data(), name.size())];
    return {value.data(), value.size()};
}

std::string answer_reader::excerpt() const {
    return parser_->get().body().text;
}

}  // namespace leasebox::http
