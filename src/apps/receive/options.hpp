// What the reference consumer is told to do, its misbehaviour included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leasebox/core/time.hpp"

namespace leasebox::apps {

struct receive_options {
    std::string host = "127.0.0.1";
    unsigned short port = 0;           ///< 0 takes a free one
    std::string inbox_path;            ///< empty: in memory
    std::vector<std::string> secrets;  ///< empty: nothing is verified
    milliseconds delay{0};             ///< between applying and answering
    int fail = 0;                      ///< the first N get `status`, and nothing is applied
    int status = 503;
    std::optional<milliseconds> retry_after;  ///< sent with a failed request, in whole seconds
    int drop_before_response = 0;  ///< the first N are applied, then the connection is closed
    int drop_before_apply = 0;     ///< the first N are neither applied nor answered
    int hang = 0;                  ///< the first N are read and never answered
    bool json = false;             ///< a JSON line on stdout for each POST
    bool log = false;              ///< the same as text; not with json
    bool full_sync = false;        ///< the inbox survives a power cut
};

}  // namespace leasebox::apps
