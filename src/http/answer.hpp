// Reads an answer from bytes, without a socket: interim answers are skipped, every part is
// bounded, and a complete head counts whatever follows it.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/excerpt_body.hpp"

namespace leasebox::http {

/// All heads of one answer together, interim ones included.
inline constexpr std::size_t head_bytes_max = 64 * 1024;
/// More than that of a body is not read.
inline constexpr std::uint64_t body_bytes_max = 1024 * 1024;

class answer_reader {
public:
    answer_reader();

    /// Takes what arrived next; not once it is finished.
    void put(std::string_view bytes);
    /// The peer closed its side.
    void put_end();

    /// True once there is nothing more to learn, so that reading may stop.
    bool finished() const noexcept { return finished_; }
    /// True once any byte arrived.
    bool started() const noexcept { return started_; }
    /// Of a complete final head, else 0.
    int status() const noexcept { return status_; }
    /// True where exactly one message was read to its end and the peer keeps the connection.
    bool reusable() const noexcept { return exact_ && pending_.empty(); }

    /// A header of the answer; empty where there is none.
    std::string header(std::string_view name) const;
    std::string excerpt() const;
    /// Why no status could be read, as a sentence; empty while none is known.
    const std::string& trouble() const noexcept { return trouble_; }

private:
    using parser = boost::beast::http::response_parser<excerpt_body>;

    void restart();
    void read_head();
    void accept_head(const boost::system::error_code& failed);
    void read_body();
    void finish_body(const boost::system::error_code& failed);
    void stop_where_the_rest_is_useless();
    void give_up(std::string why);

    std::optional<parser> parser_;
    std::string pending_;         // arrived, and not yet understood
    std::size_t head_bytes_ = 0;  // of heads that were read
    int status_ = 0;
    bool started_ = false;
    bool finished_ = false;
    bool exact_ = false;
    std::string trouble_;
};

}  // namespace leasebox::http
