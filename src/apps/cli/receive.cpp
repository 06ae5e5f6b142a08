#include "apps/cli/commands.hpp"
#include "apps/cli/values.hpp"
#include "apps/receive/server.hpp"
#include "apps/run/config.hpp"

#include <charconv>

namespace leasebox::apps {
namespace {

struct listen_options {
    std::string listen;
    std::string inbox;
    std::vector<std::string> secrets;
    std::optional<milliseconds> delay;
    std::optional<milliseconds> retry_after;
    std::optional<int> fail;
    int status = 503;
    std::optional<int> drop_before_response;
    std::optional<int> drop_before_apply;
    std::optional<int> hang;
    bool full_sync = false;
    bool log = false;
};

// HOST:PORT, where an IPv6 host is in brackets.
void set_address(receive_options& into, const std::string& listen) {
    const std::size_t split = listen.rfind(':');
    const std::string port = split == std::string::npos ? "" : listen.substr(split + 1);
    const char* const end = port.data() + port.size();
    unsigned number = 65536;
    const auto [stop, failed] = std::from_chars(port.data(), end, number);
    if (split == 0 || failed != std::errc{} || stop != end || number > 65535) {
        throw usage_error("--listen: '" + listen + "' must be HOST:PORT, such as 127.0.0.1:8080");
    }
    into.host = listen.substr(0, split);
    if (into.host.front() == '[' && into.host.back() == ']') {
        into.host = into.host.substr(1, into.host.size() - 2);
    }
    into.port = static_cast<unsigned short>(number);
}

receive_options make_options(const listen_options& chosen, const context& common) {
    receive_options options;
    set_address(options, chosen.listen);
    options.inbox_path = chosen.inbox;
    for (const std::string& each : chosen.secrets) {
        options.secrets.push_back(resolve_secret(each));
    }
    options.delay = chosen.delay.value_or(milliseconds{0});
    options.retry_after = chosen.retry_after;
    options.fail = chosen.fail.value_or(0);
    options.status = chosen.status;
    options.drop_before_response = chosen.drop_before_response.value_or(0);
    options.drop_before_apply = chosen.drop_before_apply.value_or(0);
    options.hang = chosen.hang.value_or(0);
    options.json = common.json();
    options.log = chosen.log;
    options.full_sync = chosen.full_sync;
    return options;
}

void add_misbehaviour(CLI::App& command, listen_options& chosen) {
    constexpr int most = 1'000'000'000;
    add_duration(command, "--delay", chosen.delay, "between applying and answering");
    add_count(command, "--fail", chosen.fail, most, "the first N requests get --status");
    command.add_option("--status", chosen.status, "of a failed request")
        ->check(CLI::Range(200, 599))
        ->capture_default_str();
    add_duration(command, "--retry-after", chosen.retry_after, "sent with a failed request");
    add_count(command, "--drop-before-response", chosen.drop_before_response, most,
              "the first N are applied, then the connection is closed");
    add_count(command, "--drop-before-apply", chosen.drop_before_apply, most,
              "the first N are neither applied nor answered");
    add_count(command, "--hang", chosen.hang, most, "the first N are never answered");
}

}  // namespace

void add_receive(CLI::App& program, context& common) {
    auto chosen = std::make_shared<listen_options>();
    CLI::App* command =
        program.add_subcommand("receive", "the reference consumer: applies each event once");
    common.add_json(*command);
    command->add_flag("--log", chosen->log, "print a line for each request");
    command->add_option("--listen", chosen->listen, "HOST:PORT; port 0 takes a free one")
        ->required();
    command->add_option("--inbox", chosen->inbox, "its database (default: in memory)")
        ->check(not_empty);
    command->add_option("--secret", chosen->secrets, "whsec_…, env:NAME or file:PATH")
        ->allow_extra_args(false);
    command->add_flag("--full-sync", chosen->full_sync, "the inbox survives a power cut");
    add_misbehaviour(*command, *chosen);
    command->callback([chosen, &common] {
        throw finished{static_cast<exit_code>(run_receive(make_options(*chosen, common)))};
    });
}

}  // namespace leasebox::apps
