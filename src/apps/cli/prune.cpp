// prune: removes settled events that are old enough.
#include <algorithm>
#include <iostream>
#include <thread>

#include "apps/cli/commands.hpp"
#include "apps/cli/shapes.hpp"
#include "apps/cli/values.hpp"

namespace leasebox::apps {
namespace {

namespace json = boost::json;

void add(const prune_result& step, prune_result& into) {
    for (const auto& [at, count] : step.matched) into.matched[at] += count;
    for (const auto& [at, count] : step.removed) into.removed[at] += count;
    into.kept += step.kept;
}

// Between two steps the store belongs to dispatchers and producers for most of the time. A long
// step has waited for them, and earns no longer pause by that.
void pause(std::chrono::steady_clock::duration took) {
    using namespace std::chrono_literals;
    std::this_thread::sleep_for(
        std::clamp<std::chrono::steady_clock::duration>(4 * took, 5ms, 200ms));
}

prune_result sweep(store& events, prune_request request) {
    using clock = std::chrono::steady_clock;
    prune_result sum;
    while (true) {
        const auto began = clock::now();
        const prune_result step = events.prune(request);
        add(step, sum);
        if (!step.more) return sum;
        request.after = step.next;
        const bool only_looked = request.dry_run || step.removed.empty();
        if (only_looked && !step.matched.empty()) continue;
        pause(clock::now() - began);
    }
}

json::object counts(const std::map<state, std::int64_t>& by_state, const prune_request& request) {
    json::object shape;
    for (const state at : {state::delivered, state::cancelled, state::dead}) {
        if (!request.age_of(at)) continue;
        const auto found = by_state.find(at);
        shape[to_string(at).data()] = found == by_state.end() ? 0 : found->second;
    }
    return shape;
}

void print(const prune_result& did, const prune_request& request, const context& common) {
    if (common.json()) {
        common.print(json::object{{"matched", counts(did.matched, request)},
                                  {"removed", counts(did.removed, request)},
                                  {"protected", did.kept}});
        return;
    }
    for (const auto& [at, count] : did.matched) {
        const auto removed = did.removed.find(at);
        std::cout << to_string(at) << ": " << count << " old enough, "
                  << (removed == did.removed.end() ? 0 : removed->second) << " removed\n";
    }
    if (did.matched.empty()) std::cout << "nothing is old enough\n";
    if (did.kept > 0) {
        std::cout << did.kept << " kept: dead and blocking a lane, or their last owner may still "
                  << "report\n";
    }
}

}  // namespace

void add_prune(CLI::App& program, context& common) {
    auto chosen = std::make_shared<prune_request>();
    CLI::App* command = program.add_subcommand("prune", "remove settled events that are old");
    common.add_common(*command);
    add_duration(*command, "--delivered-older", chosen->delivered,
                 "delivered at least so long ago (default: kept)");
    add_duration(*command, "--cancelled-older", chosen->cancelled,
                 "cancelled at least so long ago (default: kept)");
    add_duration(*command, "--dead-older", chosen->dead,
                 "dead for at least so long (default: kept)");
    command->add_option("-d,--destination", chosen->destination, "only this one (default: all)");
    command->add_flag("--dry-run", chosen->dry_run, "count, and remove nothing");
    command->callback([chosen, &common] {
        if (!chosen->delivered && !chosen->cancelled && !chosen->dead) {
            throw usage_error("say what is old: --delivered-older, --cancelled-older or "
                              "--dead-older, with a duration such as 7d");
        }
        print(sweep(*common.open_store(false), *chosen), *chosen, common);
    });
}

}  // namespace leasebox::apps
