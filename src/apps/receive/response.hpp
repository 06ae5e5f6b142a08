// The bytes of an answer.
#pragma once

#include <string>
#include <string_view>

namespace leasebox::apps {

struct response {
    int status = 200;
    std::string body;
    std::string headers;  ///< whole lines, each with its CRLF
    bool keep_alive = true;
    bool to_head = false;  ///< of a HEAD request: the body is not sent
};

std::string bytes_of(const response& answer);

/// {"error": …}
std::string error_body(std::string_view sentence);

}  // namespace leasebox::apps
