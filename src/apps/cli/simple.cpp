// model, demo and version: commands that need no store.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/demo/demo.hpp"
#include "leasebox/core/model.hpp"
#include "leasebox/version.hpp"

namespace leasebox::apps {
namespace {

using namespace std::chrono_literals;

namespace json = boost::json;

struct story {
    bool owned = false;
    bool expired = false;
    bool stale_ack = false;
    bool current_ack = false;
};

// One claim, its expiry, a reclaim under the same owner name, and both acknowledgments: computed
// by the model that the stores run.
story run_model() {
    story told;
    const budgets limits;
    const store_time start = from_ms(0);
    event_row fresh;
    const transition first = apply_claim(fresh, {"worker", 1, 30s}, limits, start);
    told.owned = first.accepted() && first.row.at == state::claimed;

    const store_time late = first.row.lease_until;
    const transition second = apply_claim(first.row, {"worker", 2, 30s}, limits, late);
    told.expired = second.closed && second.closed->result == outcome::expired;

    ack_command stale;
    stale.key = claim_key("event", "worker", 1);
    stale.what = report(outcome::delivered);
    told.stale_ack = apply_ack(second.row, stale, limits, late).accepted();

    ack_command current = stale;
    current.key.generation = 2;
    told.current_ack = apply_ack(second.row, current, limits, late).accepted();
    return told;
}

const char* word(bool value) {
    return value ? "True" : "False";
}

void print_model(bool as_json) {
    const story told = run_model();
    if (as_json) {
        const json::object shape{{"owned", told.owned},
                                 {"expired", told.expired},
                                 {"stale_ack", told.stale_ack},
                                 {"current_ack", told.current_ack}};
        std::cout << json::serialize(shape) << "\n";
        return;
    }
    std::cout << "owned " << word(told.owned) << "\nexpired " << word(told.expired)
              << "\nstale ack " << word(told.stale_ack) << "\ncurrent ack "
              << word(told.current_ack) << "\n";
}

void print_version(bool as_json) {
    if (as_json) {
        const json::object shape{{"version", std::string(version())}};
        std::cout << json::serialize(shape) << "\n";
        return;
    }
    std::cout << "leasebox " << version() << "\n";
}

// The flag of a command that needs nothing else.
std::shared_ptr<bool> add_json_flag(CLI::App& command) {
    auto as_json = std::make_shared<bool>(false);
    command.add_flag("--json", *as_json, "print one JSON object");
    return as_json;
}

}  // namespace

void add_model(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("model", "run the portable model: claim, expiry, reclaim, two acks");
    command->callback([as_json = add_json_flag(*command)] { print_model(*as_json); });
}

void add_demo(CLI::App& program) {
    program.add_subcommand("demo", "real processes, killed and paused on purpose")->callback([] {
        throw finished{static_cast<exit_code>(run_demo())};
    });
}

void add_version(CLI::App& program) {
    CLI::App* command = program.add_subcommand("version", "print the version");
    command->callback([as_json = add_json_flag(*command)] { print_version(*as_json); });
}

}  // namespace leasebox::apps
