// model, demo and version: commands that need no store.
#include <iostream>

#include "apps/cli/commands.hpp"
#include "apps/demo/demo.hpp"
#include "leasebox/core/model.hpp"
#include "leasebox/version.hpp"

namespace leasebox::apps {
namespace {

using namespace std::chrono_literals;

const char* word(bool value) {
    return value ? "True" : "False";
}

// One claim, its expiry, a reclaim under the same owner name, and both acknowledgments: computed
// by the model that the stores run.
void print_model() {
    const budgets limits;
    const store_time start = from_ms(0);
    event_row fresh;
    const transition first = apply_claim(fresh, {"worker", 1, 30s}, limits, start);
    std::cout << "owned " << word(first.accepted() && first.row.at == state::claimed) << "\n";

    const store_time late = first.row.lease_until;
    const transition second = apply_claim(first.row, {"worker", 2, 30s}, limits, late);
    const bool expired = second.closed && second.closed->result == outcome::expired;
    std::cout << "expired " << word(expired) << "\n";

    ack_command stale;
    stale.key = claim_key("event", "worker", 1);
    stale.what = report(outcome::delivered);
    std::cout << "stale ack " << word(apply_ack(second.row, stale, limits, late).accepted())
              << "\n";

    ack_command current = stale;
    current.key.generation = 2;
    std::cout << "current ack " << word(apply_ack(second.row, current, limits, late).accepted())
              << "\n";
}

}  // namespace

void add_model(CLI::App& program) {
    program.add_subcommand("model", "run the portable model: claim, expiry, reclaim, two acks")
        ->callback([] { print_model(); });
}

void add_demo(CLI::App& program) {
    program.add_subcommand("demo", "real processes, killed and paused on purpose")->callback([] {
        throw finished{static_cast<exit_code>(run_demo())};
    });
}

void add_version(CLI::App& program) {
    program.add_subcommand("version", "print the version")->callback([] {
        std::cout << "leasebox " << version() << "\n";
    });
}

}  // namespace leasebox::apps
