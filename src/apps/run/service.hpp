// `leasebox run` as a function: a dispatcher with its logger, its signals and its progress line.
#pragma once

#include <optional>
#include <string>

#include "apps/run/config.hpp"

namespace leasebox::apps {

struct service_options {
    configuration config;
    std::string store_path;
    bool until_idle = false;
    std::optional<milliseconds> run_for;
    bool log_json = false;
    std::string log_level = "info";  ///< debug, info, warning or error
};

/// Runs until stopped, until idle, or for the given time. Returns the program's exit code; throws
/// leasebox::error where it can't start.
int run_service(const service_options& options);

}  // namespace leasebox::apps
