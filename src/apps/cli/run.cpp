#include "apps/run/service.hpp"

#include "apps/cli/commands.hpp"
#include "apps/cli/values.hpp"

namespace leasebox::apps {
namespace {

struct run_options {
    std::string config;
    std::vector<std::string> to;
    std::string owner;
    std::optional<int> in_flight;
    std::optional<int> claim_max;
    std::optional<milliseconds> lease;
    std::optional<milliseconds> lease_margin;
    std::optional<milliseconds> attempt_timeout;
    std::optional<int> attempts_max;
    std::optional<int> expiries_max;
    std::optional<milliseconds> lifetime;
    std::optional<milliseconds> backoff_first;
    std::optional<milliseconds> backoff_max;
    bool until_idle = false;
    std::optional<milliseconds> run_for;
    bool log_json = false;
    std::string log_level = "info";
};

template <class Value>
void take(Value& into, const std::optional<Value>& value) {
    if (value) into = *value;
}

void add_destinations(configuration& config, const std::vector<std::string>& to) {
    for (const std::string& each : to) {
        const std::size_t split = each.find('=');
        if (split == std::string::npos || split == 0) {
            throw usage_error("--to: '" + each + "' must be DESTINATION=URL");
        }
        configured_destination& one = config.destinations[each.substr(0, split)];
        one.wire.url = each.substr(split + 1);
        // What a person types on the command line may be this machine itself.
        one.wire.allow_loopback = true;
    }
}

// The command line wins over the file.
configuration merge(const run_options& chosen) {
    configuration config;
    if (!chosen.config.empty()) config = read_configuration(chosen.config);
    dispatcher_options& into = config.dispatcher;
    if (!chosen.owner.empty()) into.owner = chosen.owner;
    take(into.in_flight, chosen.in_flight);
    take(into.claim_max, chosen.claim_max);
    take(into.lease, chosen.lease);
    take(into.lease_margin, chosen.lease_margin);
    take(into.attempt_timeout, chosen.attempt_timeout);
    take(into.limits.attempts_max, chosen.attempts_max);
    take(into.limits.expiries_max, chosen.expiries_max);
    take(into.limits.lifetime, chosen.lifetime);
    take(into.retry.first, chosen.backoff_first);
    take(into.retry.max, chosen.backoff_max);
    add_destinations(config, chosen.to);
    if (config.destinations.empty()) {
        throw usage_error("no destination: give --to DESTINATION=URL, or --config FILE with one");
    }
    // Where somebody raised the total limit alone, one destination may use all of it.
    if (chosen.in_flight && config.destinations.size() == 1) {
        config.destinations.begin()->second.how.in_flight = *chosen.in_flight;
    }
    return config;
}

void run(const run_options& chosen, const context& common) {
    service_options service;
    service.config = merge(chosen);
    service.store_path = common.store_path(service.config.store);
    service.until_idle = chosen.until_idle;
    service.run_for = chosen.run_for;
    service.log_json = chosen.log_json;
    service.log_level = chosen.log_level;
    throw finished{static_cast<exit_code>(run_service(service))};
}

void add_limits(CLI::App& command, run_options& chosen) {
    add_count(command, "--in-flight", chosen.in_flight, 10'000, "events sent at once, in total");
    add_count(command, "--claim-max", chosen.claim_max, 10'000, "events taken by one claim");
    add_duration(command, "--lease", chosen.lease, "how long a claim holds (default: 30s)");
    add_duration(command, "--lease-margin", chosen.lease_margin,
                 "kept free of the lease for the report (default: 2s)");
    add_duration(command, "--attempt-timeout", chosen.attempt_timeout,
                 "one send, everything included (default: 20s)");
    add_count(command, "--attempts-max", chosen.attempts_max, 1'000'000, "(default: 12)");
    add_count(command, "--expiries-max", chosen.expiries_max, 1'000,
              "attempts that may end without any report (default: 3)");
    add_duration(command, "--lifetime", chosen.lifetime, "after append (default: 24h)");
    add_duration(command, "--backoff-first", chosen.backoff_first,
                 "bound of the first delay (default: 1s)");
    add_duration(command, "--backoff-max", chosen.backoff_max,
                 "bound of every delay (default: 1h)");
}

}  // namespace

void add_run(CLI::App& program, context& common) {
    auto chosen = std::make_shared<run_options>();
    CLI::App* command = program.add_subcommand("run", "deliver events until stopped");
    common.add_common(*command);
    command->add_option("--config", chosen->config, "a TOML file");
    command->add_option("--to", chosen->to, "DESTINATION=URL; may be given again")
        ->allow_extra_args(false);
    command->add_option("--owner", chosen->owner, "a name; a random part is added");
    add_limits(*command, *chosen);
    command->add_flag("--until-idle", chosen->until_idle,
                      "end once nothing can move; exit 1 if dead, parked or blocked remain");
    add_duration(*command, "--for", chosen->run_for, "end after this time");
    command->add_flag("--log-json", chosen->log_json, "log JSON lines");
    command->add_option("--log-level", chosen->log_level, "how much to log")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    command->callback([chosen, &common] { run(*chosen, common); });
}

}  // namespace leasebox::apps
