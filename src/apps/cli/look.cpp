// stats, list and show: what the store says, changing nothing.
#include <ctime>
#include <iomanip>
#include <iostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/shapes.hpp"
#include "apps/cli/values.hpp"
#include "leasebox/core/text.hpp"

namespace leasebox::apps {
namespace {

namespace json = boost::json;

std::string local_time(store_time at) {
    const std::time_t seconds = to_ms(at) / 1000;
    std::tm parts{};
    localtime_r(&seconds, &parts);
    std::ostringstream text;
    text << std::put_time(&parts, "%Y-%m-%d %H:%M:%S") << '.' << std::setw(3) << std::setfill('0')
         << to_ms(at) % 1000 << std::put_time(&parts, " %z");
    return text.str();
}

// What is stored as text may hold anything; a terminal gets none of it raw.
std::string shown(const std::string& text) {
    return clean_detail(text);
}

void print_stats(const store_stats& stats) {
    std::cout << std::left << std::setw(30) << "destination" << std::right;
    for (int at = 1; at <= 6; ++at) {
        std::cout << std::setw(11) << to_string(static_cast<state>(at));
    }
    std::cout << "\n";
    for (const auto& [name, one] : stats.destinations) {
        std::cout << std::left << std::setw(30) << name << std::right;
        for (const auto& [at, count] : one.events)
            std::cout << std::setw(11) << count;
        std::cout << (one.paused ? "  paused" : "") << "\n";
    }
    std::cout << "oldest pending: " << oldest_pending_seconds(stats)
              << " s; uncertain: " << stats.uncertain << "; lanes blocked: " << stats.lanes_blocked
              << "\n";
}

void print_line(const event_status& event) {
    std::cout << event.seq << "  " << event.id << "  " << event.destination << "  "
              << to_string(event.row.at);
    if (event.row.why) std::cout << "(" << to_string(*event.row.why) << ")";
    if (event.key) std::cout << "  key=" << shown(*event.key);
    std::cout << "  attempts=" << event.row.attempts;
    if (!event.row.last_error.empty()) std::cout << "  " << shown(event.row.last_error);
    std::cout << "\n";
}

void print_attempt(const attempt_record& tried) {
    std::cout << "  " << local_time(tried.claimed_at) << "  attempt " << tried.attempt
              << ", generation " << tried.generation << ", " << shown(tried.owner) << ": ";
    if (!tried.result) {
        std::cout << "open, lease until " << local_time(tried.lease_until) << "\n";
        return;
    }
    std::cout << to_string(*tried.result) << (tried.late ? " (late)" : "");
    if (tried.ended_at) {
        std::cout << " after " << (*tried.ended_at - tried.claimed_at).count() << " ms";
    }
    if (tried.http_status != 0) std::cout << ", HTTP " << tried.http_status;
    if (!tried.detail.empty()) std::cout << ": " << shown(tried.detail);
    std::cout << "\n";
}

void print_event(const event_status& event, const std::vector<attempt_record>& attempts) {
    const event_row& row = event.row;
    std::cout << event.id << "\n  destination  " << event.destination << "\n";
    if (event.key) std::cout << "  key          " << shown(*event.key) << "\n";
    if (event.type) std::cout << "  type         " << shown(*event.type) << "\n";
    std::cout << "  state        " << to_string(row.at);
    if (row.why) std::cout << " (" << to_string(*row.why) << ")";
    if (row.how) std::cout << " (by " << to_string(*row.how) << ")";
    std::cout << "\n  appended     " << local_time(event.appended_at) << "\n";
    if (row.at == state::pending) {
        std::cout << "  not before   " << local_time(row.not_before) << "\n";
    }
    if (row.at == state::claimed) {
        std::cout << "  held by      " << shown(row.owner) << ", lease until "
                  << local_time(row.lease_until) << "\n";
    }
    if (row.settled_at) std::cout << "  settled      " << local_time(*row.settled_at) << "\n";
    std::cout << "  payload      " << event.payload_bytes << " bytes\n";
    if (row.uncertain) std::cout << "  uncertain    an attempt may have arrived\n";
    std::cout << "attempts\n";
    for (const attempt_record& tried : attempts)
        print_attempt(tried);
}

void show(const std::string& id, const context& common) {
    const auto events = common.open_store(false);
    const std::optional<event_status> found = events->status(id);
    if (!found) throw no_such_event(id);
    const std::vector<attempt_record> attempts = events->attempts(id);
    if (!common.json()) return print_event(*found, attempts);
    json::object shape = shape_of(*found);
    json::array tried;
    for (const attempt_record& each : attempts)
        tried.push_back(shape_of(id, each));
    shape["attempts"] = std::move(tried);
    shape["attempts_made"] = found->row.attempts;
    common.print(std::move(shape));
}

}  // namespace

void add_stats(CLI::App& program, context& common) {
    CLI::App* command = program.add_subcommand("stats", "counts by state and destination");
    common.add_common(*command);
    command->callback([&common] {
        const store_stats stats = common.open_store(false)->stats();
        common.json() ? common.print(shape_of(stats)) : print_stats(stats);
    });
}

void add_list(CLI::App& program, context& common) {
    struct options {
        std::string at;
        std::string destination;
        std::string key;
        std::string why;
        std::optional<int> limit;
        std::int64_t after = 0;
    };
    auto chosen = std::make_shared<options>();
    CLI::App* command = program.add_subcommand("list", "events in the order of append");
    common.add_common(*command);
    command->add_option("--state", chosen->at, "only in this state")
        ->check(CLI::IsMember({"pending", "claimed", "delivered", "dead", "parked", "cancelled"}));
    command->add_option("-d,--destination", chosen->destination, "only for this destination")
        ->check(not_empty);
    command->add_option("--key", chosen->key, "only with this key")->check(not_empty);
    command->add_option("--reason", chosen->why, "only dead or parked for this reason")
        ->check(CLI::IsMember(
            {"rejected", "attempts", "lifetime", "expiries", "uncertain", "operator"}));
    add_count(*command, "--limit", chosen->limit, 10'000, "at most so many (default: 100)");
    add_number(*command, "--after", chosen->after, 0, "only with a greater seq, to page on");
    command->callback([chosen, &common] {
        list_filter filter;
        filter.at = parse_state(chosen->at);
        filter.why = parse_reason(chosen->why);
        if (!chosen->destination.empty()) filter.destination = chosen->destination;
        if (!chosen->key.empty()) filter.key = chosen->key;
        filter.limit = chosen->limit.value_or(100);
        filter.after_seq = chosen->after;
        for (const event_status& event : common.open_store(false)->list(filter)) {
            common.json() ? common.print(shape_of(event)) : print_line(event);
        }
    });
}

void add_show(CLI::App& program, context& common) {
    auto id = std::make_shared<std::string>();
    CLI::App* command = program.add_subcommand("show", "one event, its attempts, and why");
    common.add_common(*command);
    command->add_option("id", *id, "the event")->required();
    command->callback([id, &common] { show(*id, common); });
}

}  // namespace leasebox::apps
