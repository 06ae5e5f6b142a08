// The program `leasebox`.
#include <unistd.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <iostream>

#include "apps/cli/commands.hpp"
#include "apps/run/toml_table.hpp"
#include "leasebox/core/text.hpp"
#include "leasebox/version.hpp"

namespace {

namespace json = boost::json;
using namespace leasebox::apps;
using leasebox::errc;

void add_commands(CLI::App& program, context& common) {
    add_init(program, common);
    add_append(program, common);
    add_run(program, common);
    add_claim(program, common);
    add_ack(program, common);
    add_renew(program, common);
    add_stats(program, common);
    add_list(program, common);
    add_show(program, common);
    add_prune(program, common);
    add_explain(program, common);
    add_operate(program, common);
    add_receive(program, common);
    add_demo(program);
    add_model(program);
    add_version(program);
}

int report(bool as_json, exit_code code, const std::string& name, const std::string& message) {
    if (as_json) {
        json::object shape;
        shape["error"] = {{"code", name}, {"message", message}, {"hint", nullptr}};
        std::cerr << json::serialize(shape) << "\n";
    } else {
        // The database's own sentences begin with the name already. Files and stores are quoted
        // in some, so that they may hold what no terminal should get.
        std::cerr << (message.starts_with("leasebox: ") ? "" : "leasebox: ")
                  << leasebox::clean_detail(message) << "\n";
    }
    return static_cast<int>(code);
}

std::string name_of(const boost::system::error_code& code) {
    switch (static_cast<errc>(code.value())) {
        case errc::duplicate_id:
            return "duplicate_id";
        case errc::invalid_event:
            return "invalid_event";
        case errc::no_schema:
            return "no_schema";
        case errc::schema_too_new:
            return "schema_too_new";
        case errc::busy:
            return "busy";
        case errc::full:
            return "full";
        case errc::io:
            return "io";
        case errc::corrupt:
            return "corrupt";
        case errc::invalid_option:
            return "invalid_option";
        default:
            return "failed";
    }
}

// Results that nobody got are no success: a full disk, say.
int end(bool as_json, exit_code code) {
    std::cout.flush();
    if (std::cout) return static_cast<int>(code);
    return report(as_json, exit_code::failed, "io", "the results can't be written to stdout");
}

// CLI11 says only that a command is required where it met an unknown one.
int unknown_command(const CLI::App& program, const std::string& written, bool as_json) {
    std::vector<std::string> names;
    for (const CLI::App* each : program.get_subcommands({}))
        names.push_back(each->get_name());
    const std::string near = nearest(written, names);
    return report(
        as_json, exit_code::usage, "usage",
        "there is no command '" + written + "'" +
            (near.empty() ? "; see 'leasebox --help'" : "; did you mean '" + near + "'?"));
}

// Options of the program itself are no commands, and none of our business here.
bool is_command(const CLI::App& program, const std::string& written) {
    if (written.empty() || written.front() == '-') return true;
    const auto all = program.get_subcommands({});
    return std::any_of(all.begin(), all.end(),
                       [&](const CLI::App* each) { return each->get_name() == written; });
}

int usage(const CLI::App& program, const CLI::ParseError& wrong, bool as_json) {
    if (wrong.get_exit_code() == 0) return program.exit(wrong);
    std::string message = wrong.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    return report(as_json, exit_code::usage, "usage", message);
}

void introduce() {
    std::cout << "leasebox " << leasebox::version()
              << ": a transactional outbox with leases\n\n"
                 "Appends events with your own data, delivers them over HTTP at least once, and\n"
                 "can always say what became of each.\n\n"
                 "Three commands to begin with:\n"
                 "  leasebox append --store app.db -d billing '{\"n\":1}'\n"
                 "  leasebox run --store app.db --to billing=http://127.0.0.1:8080/ --until-idle\n"
                 "  leasebox stats --store app.db\n\n"
                 "All commands: leasebox --help. Each one: leasebox COMMAND --help.\n";
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool as_json = std::find(words.begin(), words.end(), "--json") != words.end();
    if (words.empty()) {
        introduce();
        return 0;
    }
    CLI::App program("A transactional outbox with leases.", "leasebox");
    program.require_subcommand(1);
    program.set_version_flag("--version", std::string(leasebox::version()));
    context common;
    add_commands(program, common);
    if (!is_command(program, words.front())) {
        return unknown_command(program, words.front(), as_json);
    }
    try {
        program.parse(argc, argv);
        return end(as_json, exit_code::done);
    } catch (const finished& ended) {
        return end(as_json, ended.code);
    } catch (const no_such_event& missing) {
        return report(as_json, exit_code::no_such_event, "no_such_event", missing.what());
    } catch (const CLI::ParseError& wrong) {
        return usage(program, wrong, as_json);
    } catch (const usage_error& wrong) {
        return report(as_json, exit_code::usage, "usage", wrong.what());
    } catch (const leasebox::error& failed) {
        const bool option = failed.code() == errc::invalid_option;
        return report(as_json, option ? exit_code::usage : exit_code::failed,
                      name_of(failed.code()), failed.sentence());
    } catch (const std::exception& failed) {
        return report(as_json, exit_code::failed, "failed", failed.what());
    }
}
