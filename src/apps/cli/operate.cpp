// replay, park, unpark and cancel, by id or by filter; pause, resume and explain.
#include <algorithm>
#include <iostream>
#include <set>

#include "apps/cli/commands.hpp"
#include "apps/cli/shapes.hpp"
#include "apps/cli/values.hpp"

namespace leasebox::apps {
namespace {

namespace json = boost::json;

struct selection {
    std::vector<std::string> ids;
    std::string at;
    std::string destination;
    std::string key;
    std::string why;
    bool dry_run = false;
    bool include_delivered = false;

    bool has_filter() const {
        return !at.empty() || !destination.empty() || !key.empty() || !why.empty();
    }
};

// What one command does to each event of its selection.
struct outcome_of_act {
    std::int64_t changed = 0;
    json::array refused;
};

std::string name_of(operator_act act) {
    switch (act) {
        case operator_act::park: return "park";
        case operator_act::unpark: return "unpark";
        case operator_act::cancel: return "cancel";
        case operator_act::replay: return "replay";
    }
    return "?";
}

// The filter is evaluated once, page by page; what is appended meanwhile is not part of it.
std::vector<event_status> select_events(store& events, const selection& chosen) {
    std::vector<event_status> found;
    for (const std::string& id : chosen.ids) {
        const std::optional<event_status> one = events.status(id);
        if (!one) {
            std::cerr << "leasebox: there is no event " << id << "\n";
            throw finished{exit_code::no_such_event};
        }
        found.push_back(*one);
    }
    if (!chosen.has_filter()) return found;
    list_filter filter;
    filter.at = parse_state(chosen.at);
    filter.why = parse_reason(chosen.why);
    if (!chosen.destination.empty()) filter.destination = chosen.destination;
    if (!chosen.key.empty()) filter.key = chosen.key;
    filter.limit = 1000;
    for (bool more = true; more;) {
        const std::vector<event_status> page = events.list(filter);
        found.insert(found.end(), page.begin(), page.end());
        more = page.size() == static_cast<std::size_t>(filter.limit);
        if (more) filter.after_seq = page.back().seq;
    }
    return found;
}

std::string why_refused(const event_status& event) {
    return "it is " + std::string(to_string(event.row.at));
}

// The model says what would happen; nothing is written.
json::object would(const std::vector<event_status>& found, operator_act act,
                   const selection& chosen, store_time now, outcome_of_act& done) {
    std::int64_t changes = 0;
    std::int64_t fenced = 0;
    std::int64_t duplicates = 0;
    std::set<std::pair<std::string, std::string>> lanes;
    for (const event_status& event : found) {
        operator_command command;
        command.act = act;
        command.generation = event.row.generation + 1;
        command.include_delivered = chosen.include_delivered;
        if (!apply_operator(event.row, command, now).accepted()) {
            done.refused.push_back({{"id", event.id}, {"why", why_refused(event)}});
            continue;
        }
        changes += 1;
        fenced += event.row.at == state::claimed ? 1 : 0;
        const bool may_be_there = event.row.uncertain || event.row.at == state::delivered;
        duplicates += act == operator_act::replay && may_be_there ? 1 : 0;
        if (event.key) lanes.emplace(event.destination, *event.key);
    }
    return {{"change", changes},
            {"lanes", lanes.size()},
            {"fenced_claims", fenced},
            {"possible_duplicates", duplicates}};
}

void apply(store& events, const std::vector<event_status>& found, operator_act act,
           const selection& chosen, outcome_of_act& done) {
    constexpr std::size_t batch_max = 100;  // short transactions, so that claims do not wait
    for (std::size_t from = 0; from < found.size(); from += batch_max) {
        const std::size_t to = std::min(found.size(), from + batch_max);
        std::vector<operation> batch;
        for (std::size_t at = from; at < to; ++at) {
            operator_request request;
            request.id = found[at].id;
            request.act = act;
            request.include_delivered = chosen.include_delivered;
            batch.push_back(std::move(request));
        }
        const std::vector<reply> replies = events.commit(batch);
        for (std::size_t at = from; at < to; ++at) {
            const auto* judged = std::get_if<operator_reply>(&replies[at - from]);
            if (judged != nullptr && judged->answer == verdict::accepted) {
                done.changed += 1;
            } else {
                done.refused.push_back({{"id", found[at].id}, {"why", why_refused(found[at])}});
            }
        }
    }
}

void print_outcome(operator_act act, std::size_t matched, const outcome_of_act& done,
                   const std::optional<json::object>& expected, const context& common) {
    if (common.json()) {
        json::object shape{
            {"matched", matched}, {"changed", done.changed}, {"refused", done.refused}};
        if (expected) shape["would"] = *expected;
        return common.print(std::move(shape));
    }
    std::cout << name_of(act) << ": " << matched << " matched, ";
    if (expected) {
        std::cout << expected->at("change").as_int64() << " would change (claims fenced: "
                  << expected->at("fenced_claims").as_int64() << ", duplicates possible: "
                  << expected->at("possible_duplicates").as_int64() << ")";
    } else {
        std::cout << done.changed << " changed";
    }
    std::cout << ", " << done.refused.size() << " refused\n";
    for (const json::value& each : done.refused) {
        std::cout << "  " << each.at("id").as_string().c_str() << ": "
                  << each.at("why").as_string().c_str() << "\n";
    }
}

void operate(operator_act act, const selection& chosen, const context& common) {
    if (chosen.ids.empty() && !chosen.has_filter()) {
        throw usage_error(name_of(act) + ": give ids, or a filter such as --state or -d");
    }
    if (!chosen.ids.empty() && chosen.has_filter()) {
        throw usage_error(name_of(act) + ": give ids or a filter, not both");
    }
    const auto events = common.open_store(false);
    const std::vector<event_status> found = select_events(*events, chosen);
    outcome_of_act done;
    std::optional<json::object> expected;
    if (chosen.dry_run) {
        expected = would(found, act, chosen, events->now(), done);
    } else {
        apply(*events, found, act, chosen, done);
    }
    print_outcome(act, found.size(), done, expected, common);
    const bool all_refused = !chosen.ids.empty() && done.refused.size() == found.size();
    if (all_refused) throw finished{exit_code::refused};
}

void add_act(CLI::App& program, context& common, operator_act act, const std::string& about) {
    auto chosen = std::make_shared<selection>();
    CLI::App* command = program.add_subcommand(name_of(act), about);
    common.add_common(*command);
    command->add_option("ids", chosen->ids, "events");
    command->add_option("--state", chosen->at, "those in this state")
        ->check(CLI::IsMember({"pending", "claimed", "delivered", "dead", "parked", "cancelled"}));
    // An unset variable of a shell must not widen what is acted on.
    command->add_option("-d,--destination", chosen->destination, "those for this destination")
        ->check(not_empty);
    command->add_option("--key", chosen->key, "those with this key")->check(not_empty);
    command->add_option("--reason", chosen->why, "those dead or parked for this reason")
        ->check(CLI::IsMember(
            {"rejected", "attempts", "lifetime", "expiries", "uncertain", "operator"}));
    command->add_flag("-n,--dry-run", chosen->dry_run, "say what would happen, change nothing");
    if (act == operator_act::replay) {
        command->add_flag("--include-delivered", chosen->include_delivered,
                          "send delivered events again, too");
    }
    command->callback([chosen, act, &common] { operate(act, *chosen, common); });
}

void add_switch(CLI::App& program, context& common, bool paused) {
    auto destination = std::make_shared<std::string>();
    CLI::App* command =
        paused ? program.add_subcommand("pause", "claim nothing of a destination until resumed")
               : program.add_subcommand("resume", "claim a paused destination's events again");
    common.add_common(*command);
    command->add_option("destination", *destination, "the destination")->required();
    command->callback([destination, paused, &common] {
        commit_one<pause_reply>(*common.open_store(false), pause_request{*destination, paused});
        if (common.json()) {
            common.print({{"destination", *destination}, {"paused", paused}});
        } else {
            std::cout << *destination << (paused ? ": paused\n" : ": resumed\n");
        }
    });
}

void explain(const std::string& id, const context& common) {
    const auto events = common.open_store(false);
    const std::optional<explanation> why = events->explain(id);
    const std::optional<event_status> found = events->status(id);
    if (!why || !found) {
        std::cerr << "leasebox: there is no event " << id << "\n";
        throw finished{exit_code::no_such_event};
    }
    if (!common.json()) {
        std::cout << why->code << ": " << why->detail << "\n";
        return;
    }
    json::object shape;
    shape["id"] = id;
    shape["state"] = std::string(to_string(found->row.at));
    shape["code"] = why->code;
    shape["detail"] = why->detail;
    shape["by"] = why->by ? json::value(*why->by) : json::value(nullptr);
    shape["until"] = why->until ? json::value(to_ms(*why->until)) : json::value(nullptr);
    common.print(std::move(shape));
}

}  // namespace

void add_operate(CLI::App& program, context& common) {
    add_act(program, common, operator_act::replay, "send dead or cancelled events again");
    add_act(program, common, operator_act::park, "hold pending or claimed events");
    add_act(program, common, operator_act::unpark, "let parked events go on");
    add_act(program, common, operator_act::cancel, "withdraw unsettled events");
    add_switch(program, common, true);
    add_switch(program, common, false);
}

void add_explain(CLI::App& program, context& common) {
    auto id = std::make_shared<std::string>();
    CLI::App* command = program.add_subcommand("explain", "why an event is where it is");
    common.add_common(*command);
    command->add_option("id", *id, "the event")->required();
    command->callback([id, &common] { explain(*id, common); });
}

}  // namespace leasebox::apps
