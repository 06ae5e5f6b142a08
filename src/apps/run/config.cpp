#include "apps/run/config.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "apps/run/toml_table.hpp"

namespace leasebox::apps {
namespace {

template <class Value>
void take(Value& into, const std::optional<Value>& value) {
    if (value) into = *value;
}

void read_backoff(toml_table& dispatcher, backoff& into) {
    std::optional<toml_table> table = dispatcher.table("backoff");
    if (!table) return;
    take(into.first, table->duration("first"));
    take(into.max, table->duration("max"));
    if (table->text("jitter").value_or("full") != "full")
        table->refuse("jitter", "must be \"full\"");
    table->refuse_unknown();
}

void read_dispatcher(toml_table& top, dispatcher_options& into) {
    std::optional<toml_table> table = top.table("dispatcher");
    if (!table) return;
    take(into.owner, table->text("owner"));
    take(into.in_flight, table->integer("in_flight"));
    take(into.claim_max, table->integer("claim_max"));
    take(into.lease, table->duration("lease"));
    take(into.attempt_timeout, table->duration("attempt_timeout"));
    take(into.lease_margin, table->duration("lease_margin"));
    take(into.limits.attempts_max, table->integer("attempts_max"));
    take(into.limits.expiries_max, table->integer("expiries_max"));
    take(into.limits.lifetime, table->duration("lifetime"));
    take(into.drain, table->duration("drain"));
    take(into.fast_recovery, table->boolean("fast_recovery"));
    read_backoff(*table, into.retry);
    table->refuse_unknown();
}

// Without the section everything is kept. With it, what it leaves out has these ages, except for
// dead events, which are removed only where somebody says so.
void read_retention(toml_table& top, retention_options& into) {
    std::optional<toml_table> table = top.table("retention");
    if (!table) return;
    constexpr std::chrono::hours week{24 * 7};
    into.delivered = table->duration("delivered").value_or(week);
    into.cancelled = table->duration("cancelled").value_or(week);
    into.dead = table->duration("dead");
    table->refuse_unknown();
}

on_dead read_on_dead(toml_table& table) {
    const std::string written = table.text("on_dead").value_or("block");
    if (written == "block") return on_dead::block;
    if (written == "skip") return on_dead::skip;
    table.refuse("on_dead", "must be \"block\" or \"skip\"");
}

on_gone read_on_gone(toml_table& table) {
    const std::string written = table.text("on_gone").value_or("pause");
    if (written == "pause") return on_gone::pause;
    if (written == "reject") return on_gone::reject;
    table.refuse("on_gone", "must be \"pause\" or \"reject\"");
}

std::optional<send_rate> read_rate(toml_table& table) {
    const std::optional<std::string> written = table.text("rate");
    if (!written) return std::nullopt;
    const std::optional<send_rate> rate = parse_rate(*written);
    if (!rate) {
        table.refuse("rate", "must be a count from 1 to 1000000 a second, minute or hour, such as "
                             "\"100/s\", \"30/m\" or \"5/h\"");
    }
    return rate;
}

std::vector<std::string> read_secrets(toml_table& table) {
    std::vector<std::string> secrets;
    for (const std::string& written : table.texts("secrets").value_or(std::vector<std::string>())) {
        try {
            secrets.push_back(resolve_secret(written));
        } catch (const error& refused) {
            table.refuse("secrets", refused.sentence());
        }
    }
    return secrets;
}

configured_destination read_destination(toml_table& table) {
    configured_destination one;
    const std::optional<std::string> url = table.text("url");
    if (!url) table.refuse("url", "is missing");
    one.wire.url = *url;
    one.wire.secrets = read_secrets(table);
    take(one.how.in_flight, table.integer("in_flight"));
    one.how.dead_head = read_on_dead(table);
    one.how.gone = read_on_gone(table);
    one.how.rate = read_rate(table);
    take(one.how.adaptive, table.boolean("adaptive"));
    take(one.wire.reject_statuses, table.integers("reject_statuses"));
    take(one.wire.allow_private, table.boolean("allow_private"));
    table.refuse_unknown();
    return one;
}

std::string read_file(const std::string& path, const char* what) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw error(errc::invalid_option, std::string(what) + ' ' + path + " can't be read");
    }
    return text.str();
}

std::string secret_of_file(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) == 0 && (about.st_mode & S_IROTH) != 0) {
        throw error(errc::invalid_option,
                    "the secret's file " + path + " is readable by everybody; chmod o-r it");
    }
    std::string secret = read_file(path, "the secret's file");
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r'))
        secret.pop_back();
    return secret;
}

std::string secret_of_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr) return value;
    throw error(errc::invalid_option, "the secret's environment variable " + name + " is not set");
}

}  // namespace

std::string resolve_secret(const std::string& written) {
    const auto after = [&](std::string_view prefix) { return written.substr(prefix.size()); };
    if (written.starts_with("env:")) return secret_of_environment(after("env:"));
    if (written.starts_with("file:")) return secret_of_file(after("file:"));
    if (written.starts_with("credential:")) {
        const std::string folder = secret_of_environment("CREDENTIALS_DIRECTORY");
        return secret_of_file(folder + '/' + after("credential:"));
    }
    return written;
}

configuration parse_configuration(const std::string& text, const std::string& name) try {
    const toml::table parsed = toml::parse(text, name);
    toml_table top(parsed, "", name);
    configuration read;
    read.store = top.text("store");
    read_dispatcher(top, read.dispatcher);
    read_retention(top, read.dispatcher.retention);
    if (std::optional<toml_table> all = top.table("destinations")) {
        for (auto& [destination, table] : all->tables()) {
            read.destinations.emplace(destination, read_destination(table));
        }
    }
    top.refuse_unknown();
    return read;
} catch (const toml::parse_error& failed) {
    throw error(errc::invalid_option, name + ':' + std::to_string(failed.source().begin.line) +
                                          ": " + std::string(failed.description()));
}

configuration read_configuration(const std::string& path) {
    return parse_configuration(read_file(path, "the configuration"), path);
}

}  // namespace leasebox::apps
