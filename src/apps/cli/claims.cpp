// claim, ack and renew: a worker written in shell.
#include <unistd.h>

#include <iostream>
#include <random>

#include "apps/cli/commands.hpp"
#include "apps/cli/shapes.hpp"
#include "apps/cli/values.hpp"

namespace leasebox::apps {
namespace {

namespace json = boost::json;

// The claim that a worker acknowledges or renews.
struct claim_options {
    std::string id;
    std::string owner;
    std::int64_t generation = 0;

    void add_to(CLI::App& command) {
        command.add_option("--id", id, "the event")->required()->check(not_empty);
        command.add_option("--owner", owner, "as it was claimed")->required()->check(not_empty);
        add_number(command, "--generation", generation, 1, "as the claim printed it")->required();
    }
    claim_key key() const { return {id, owner, generation}; }
};

[[noreturn]] void finish_judged(verdict answer, json::object shape, const context& common) {
    common.print(std::move(shape));
    const bool good = answer == verdict::accepted || answer == verdict::already_accepted;
    throw finished{good                               ? exit_code::done
                   : answer == verdict::unknown_event ? exit_code::no_such_event
                                                      : exit_code::refused};
}

json::object verdict_shape(verdict answer, const std::optional<holder>& current) {
    json::object shape;
    const std::string_view text = to_string(answer);
    shape["verdict"] = json::string(text.data(), text.size());
    if (current) shape["current"] = shape_of(*current);
    return shape;
}

void claim(const std::string& owner, std::optional<int> limit, std::optional<milliseconds> lease,
           const std::vector<std::string>& destinations, const context& common) {
    claim_request request;
    request.owner = owner;
    request.limit = limit.value_or(1);
    request.lease = lease.value_or(std::chrono::seconds{30});
    request.any_destination = destinations.empty();
    request.alone = true;  // this process has nothing else in flight
    for (const std::string& each : destinations) {
        request.destinations.push_back({each, request.limit, on_dead::block});
    }
    const claim_reply taken = commit_one<claim_reply>(*common.open_store(false), request);
    for (const claimed_event& event : taken.events) {
        if (common.json()) {
            common.print(shape_of(event));
            continue;
        }
        std::cout << "id=" << event.key.id << " owner=" << event.key.owner
                  << " generation=" << event.key.generation << " attempt=" << event.attempt
                  << " lease_until=" << to_ms(event.lease_until)
                  << " destination=" << event.destination << "\n";
    }
}

// Without --after a retry waits as long as a dispatcher with the default options would let it.
milliseconds default_delay(store& events, const std::string& id) {
    const std::optional<event_status> found = events.status(id);
    const int failures = found ? std::max(1, found->row.attempts) : 1;
    return backoff{}.delay(failures, std::random_device{}());
}

void ack(const claim_options& claimed, const std::string& result, std::optional<milliseconds> after,
         const std::string& detail, const context& common) {
    const auto events = common.open_store(false);
    ack_request request;
    request.command.key = claimed.key();
    request.command.what = report(*parse_outcome(result), detail);
    const bool waits = result == "retry" || result == "uncertain";
    request.command.after = after   ? *after
                            : waits ? default_delay(*events, claimed.id)
                                    : milliseconds{0};
    const ack_reply judged = commit_one<ack_reply>(*events, request);
    json::object shape = verdict_shape(judged.answer, judged.current);
    if (judged.answer == verdict::accepted) {
        const std::string_view at = to_string(judged.at);
        shape["state"] = json::string(at.data(), at.size());
    }
    if (judged.evidence_kept) shape["evidence_kept"] = true;
    finish_judged(judged.answer, std::move(shape), common);
}

void renew(const claim_options& claimed, milliseconds lease, const context& common) {
    renew_request request;
    request.command.key = claimed.key();
    request.command.lease = lease;
    const renew_reply judged = commit_one<renew_reply>(*common.open_store(false), request);
    json::object shape = verdict_shape(judged.answer, judged.current);
    if (judged.answer == verdict::accepted) shape["lease_until"] = to_ms(judged.lease_until);
    finish_judged(judged.answer, std::move(shape), common);
}

}  // namespace

void add_claim(CLI::App& program, context& common) {
    struct options {
        std::string owner;
        std::optional<int> limit;
        std::optional<milliseconds> lease;
        std::vector<std::string> destinations;
    };
    auto chosen = std::make_shared<options>();
    CLI::App* command = program.add_subcommand("claim", "take due events, one a line");
    common.add_common(*command);
    command->add_option("--owner", chosen->owner, "who takes them; exactly this name")
        ->required()
        ->check([](const std::string& name) {
            return name.empty() || name.size() > 200 ? "must have 1 to 200 characters" : "";
        });
    add_count(*command, "--limit", chosen->limit, 10'000, "at most so many (default: 1)");
    add_duration(*command, "--lease", chosen->lease, "for how long (default: 30s)");
    command->add_option("-d,--destination", chosen->destinations, "only these (default: all)")
        ->check(not_empty);
    command->callback([chosen, &common] {
        claim(chosen->owner, chosen->limit, chosen->lease, chosen->destinations, common);
    });
}

void add_ack(CLI::App& program, context& common) {
    struct options {
        claim_options claimed;
        std::string result;
        std::optional<milliseconds> after;
        std::string detail;
    };
    auto chosen = std::make_shared<options>();
    CLI::App* command =
        program.add_subcommand("ack", "report how an attempt ended; exit 3 where it is refused");
    common.add_common(*command);
    chosen->claimed.add_to(*command);
    command->add_option("--outcome", chosen->result, "how it ended")
        ->required()
        ->check(CLI::IsMember({"delivered", "retry", "rejected", "uncertain", "released"}));
    add_duration(*command, "--after", chosen->after, "until the next attempt");
    command->add_option("--detail", chosen->detail, "a sentence for people");
    command->callback([chosen, &common] {
        ack(chosen->claimed, chosen->result, chosen->after, chosen->detail, common);
    });
}

void add_renew(CLI::App& program, context& common) {
    struct options {
        claim_options claimed;
        std::optional<milliseconds> lease;
    };
    auto chosen = std::make_shared<options>();
    CLI::App* command =
        program.add_subcommand("renew", "extend a lease; exit 3 where it is refused");
    common.add_common(*command);
    chosen->claimed.add_to(*command);
    add_duration(*command, "--lease", chosen->lease, "from now")->required();
    command->callback([chosen, &common] { renew(chosen->claimed, *chosen->lease, common); });
}

}  // namespace leasebox::apps
