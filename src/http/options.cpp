#include "http/options.hpp"

#include "leasebox/core/error.hpp"

namespace leasebox::http {
namespace {

using namespace std::chrono_literals;

void demand(bool holds, const std::string& sentence) {
    if (!holds) throw error(errc::invalid_option, sentence);
}

void check_duration(const char* field, milliseconds value, milliseconds least, milliseconds most) {
    demand(value >= least && value <= most,
           std::string(field) + " is " + std::to_string(value.count()) + "ms; it must be " +
               format_duration(least) + " to " + format_duration(most));
}

}  // namespace

void check(const destination_options& options) {
    constexpr std::size_t secrets_max = 8;
    demand(options.secrets.size() <= secrets_max, "secrets holds more than 8");
    for (const int status : options.reject_statuses) {
        demand(status >= 300 && status <= 599,
               "reject_statuses holds " + std::to_string(status) + "; a status must be 300 to 599");
    }
    const int idle = options.connections_idle_max;
    demand(idle >= 1 && idle <= 1000,
           "connections_idle_max is " + std::to_string(idle) + "; it must be 1 to 1000");
    check_duration("idle_max", options.idle_max, 1ms, 1h);
    check_duration("connection_age_max", options.connection_age_max, 1s, 24h);
}

}  // namespace leasebox::http
