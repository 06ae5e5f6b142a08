#include "apps/receive/response.hpp"

#include <boost/beast/http/status.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace leasebox::apps {

namespace http = boost::beast::http;
namespace json = boost::json;

std::string bytes_of(const response& answer) {
    const auto reason = http::obsolete_reason(http::int_to_status(unsigned(answer.status)));
    const bool has_body = answer.status != 204 && answer.status != 304;
    std::string bytes = "HTTP/1.1 " + std::to_string(answer.status) + " ";
    bytes.append(reason.data(), reason.size()).append("\r\n").append(answer.headers);
    bytes += answer.keep_alive ? "connection: keep-alive\r\n" : "connection: close\r\n";
    if (has_body) {
        bytes += "content-type: application/json\r\ncontent-length: ";
        bytes += std::to_string(answer.body.size()) + "\r\n";
    }
    bytes += "\r\n";
    if (has_body && !answer.to_head) bytes += answer.body;
    return bytes;
}

std::string error_body(std::string_view sentence) {
    json::object shape;
    shape["error"] = json::string_view(sentence.data(), sentence.size());
    return json::serialize(shape);
}

}  // namespace leasebox::apps
