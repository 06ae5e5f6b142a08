// A Beast body that keeps only the beginning of what it reads and counts the rest.
#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <cstdint>
#include <string>

namespace leasebox::http {

inline constexpr std::size_t excerpt_bytes_max = 512;

struct excerpt_body {
    struct value_type {
        std::string text;
        std::uint64_t bytes = 0;
    };

    class reader {
    public:
        template <bool IsRequest, class Fields>
        reader(boost::beast::http::header<IsRequest, Fields>&, value_type& body) : body_(body) {}

        void init(const boost::optional<std::uint64_t>&, boost::system::error_code& failed) {
            failed = {};
        }

        template <class Buffers>
        std::size_t put(const Buffers& buffers, boost::system::error_code& failed) {
            failed = {};
            std::size_t taken = 0;
            for (auto at = boost::asio::buffer_sequence_begin(buffers);
                 at != boost::asio::buffer_sequence_end(buffers); ++at) {
                const boost::asio::const_buffer part = *at;
                const std::size_t room = excerpt_bytes_max - body_.text.size();
                body_.text.append(static_cast<const char*>(part.data()),
                                  std::min(room, part.size()));
                taken += part.size();
            }
            body_.bytes += taken;
            return taken;
        }

        void finish(boost::system::error_code& failed) { failed = {}; }

    private:
        value_type& body_;
    };
};

}  // namespace leasebox::http
