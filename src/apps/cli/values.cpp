#include "apps/cli/values.hpp"

#include <charconv>

namespace leasebox::apps {
namespace {

std::string duration_rule(const std::string& name, const std::string& text) {
    return name + ": '" + text +
           "' is no duration; write a number and a unit, such as 200ms, 30s, 5m, 24h or 7d";
}

std::string count_rule(const std::string& name, const std::string& text, int most) {
    return name + ": '" + text + "' must be a whole number from 1 to " + std::to_string(most);
}

std::optional<int> parse_count(const std::string& text, int most) {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc{} || stop != end || value < 1 || value > most) return std::nullopt;
    return value;
}

}  // namespace

CLI::Option* add_duration(CLI::App& command, const std::string& name,
                          std::optional<milliseconds>& into, const std::string& about) {
    const auto read = [&into, name](const std::string& text) {
        into = parse_duration(text);
        if (!into) throw CLI::ValidationError(duration_rule(name, text));
    };
    return command.add_option_function<std::string>(name, read, about)->type_name("DURATION");
}

CLI::Option* add_count(CLI::App& command, const std::string& name, std::optional<int>& into,
                       int most, const std::string& about) {
    const auto read = [&into, name, most](const std::string& text) {
        into = parse_count(text, most);
        if (!into) throw CLI::ValidationError(count_rule(name, text, most));
    };
    return command.add_option_function<std::string>(name, read, about)->type_name("N");
}

}  // namespace leasebox::apps
