#include "apps/cli/values.hpp"

#include <charconv>
#include <limits>

namespace leasebox::apps {
namespace {

std::string duration_rule(const std::string& name, const std::string& text) {
    return name + ": '" + text +
           "' must be a number with a unit, such as 200ms, 30s, 5m, 24h or 7d, from 1ms to 3653d";
}

std::string count_rule(const std::string& name, const std::string& text, int most) {
    return name + ": '" + text + "' must be a whole number from 1 to " + std::to_string(most);
}

// Also refuses what follows the number.
template <class Number>
std::optional<Number> parse_number(const std::string& text, Number least, Number most) {
    Number value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc{} || stop != end || value < least || value > most) return std::nullopt;
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
        into = parse_number(text, 1, most);
        if (!into) throw CLI::ValidationError(count_rule(name, text, most));
    };
    return command.add_option_function<std::string>(name, read, about)->type_name("N");
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::int64_t& into,
                        std::int64_t least, const std::string& about) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto read = [&into, name, least](const std::string& text) {
        const auto value = parse_number(text, least, most);
        if (!value) {
            throw CLI::ValidationError(name + ": '" + text + "' must be a whole number from " +
                                       std::to_string(least) + " to " + std::to_string(most));
        }
        into = *value;
    };
    return command.add_option_function<std::string>(name, read, about)->type_name("N");
}

std::string not_empty(const std::string& value) {
    return value.empty() ? "must not be empty" : "";
}

}  // namespace leasebox::apps
