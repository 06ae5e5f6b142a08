#include "apps/run/toml_table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace leasebox::apps {
namespace {

// Levenshtein's distance: how many letters have to be changed.
std::size_t distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        std::size_t corner = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t change = corner + (left[i - 1] == right[j - 1] ? 0 : 1);
            corner = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(const std::string& written, const std::vector<std::string>& known) {
    const auto closest = std::min_element(
        known.begin(), known.end(), [&](const std::string& left, const std::string& right) {
            return distance(written, left) < distance(written, right);
        });
    return closest != known.end() && distance(written, *closest) <= 3 ? *closest : std::string();
}

toml_table::toml_table(const toml::table& table, std::string place, std::string file)
    : table_(&table), place_(std::move(place)), file_(std::move(file)) {}

std::string toml_table::full_name(const std::string& key) const {
    return place_.empty() ? key : place_ + '.' + key;
}

void toml_table::refuse(const std::string& key, const std::string& rule) const {
    const toml::node* node = table_->get(key);
    const auto line = node != nullptr ? node->source().begin.line : table_->source().begin.line;
    throw error(errc::invalid_option,
                file_ + ':' + std::to_string(line) + ": " + full_name(key) + ' ' + rule);
}

void toml_table::refuse_unknown() const {
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        if (known_.count(name) != 0) continue;
        const std::string near = nearest(name, {known_.begin(), known_.end()});
        refuse(name, "is not a known key" + (near.empty() ? "" : "; did you mean " + near + '?'));
    }
}

const toml::node* toml_table::find(const char* key) {
    known_.insert(key);
    return table_->get(key);
}

std::optional<std::string> toml_table::text(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_string()) refuse(key, "must be a string");
    return node->value<std::string>();
}

std::optional<bool> toml_table::boolean(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) refuse(key, "must be true or false");
    return node->value<bool>();
}

std::optional<int> toml_table::integer(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
    if (!value) refuse(key, "must be an integer");
    if (*value < 1 || *value > std::numeric_limits<int>::max()) {
        refuse(key, "must be at least 1 and finite");
    }
    return static_cast<int>(*value);
}

std::optional<milliseconds> toml_table::duration(const char* key) {
    const std::optional<std::string> written = text(key);
    if (!written) return std::nullopt;
    const std::optional<milliseconds> value = parse_duration(*written);
    if (!value)
        refuse(key, "must be a duration such as \"200ms\", \"30s\", \"5m\", \"24h\", \"7d\"");
    return value;
}

std::optional<std::vector<std::string>> toml_table::texts(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_array()) refuse(key, "must be an array of strings");
    std::vector<std::string> values;
    for (const toml::node& each : *node->as_array()) {
        if (!each.is_string()) refuse(key, "must be an array of strings");
        values.push_back(*each.value<std::string>());
    }
    return values;
}

std::optional<std::vector<int>> toml_table::integers(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_array()) refuse(key, "must be an array of integers");
    std::vector<int> values;
    for (const toml::node& each : *node->as_array()) {
        if (!each.is_integer()) refuse(key, "must be an array of integers");
        values.push_back(static_cast<int>(
            std::clamp<std::int64_t>(*each.value<std::int64_t>(), std::numeric_limits<int>::min(),
                                     std::numeric_limits<int>::max())));
    }
    return values;
}

std::optional<toml_table> toml_table::table(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_table()) refuse(key, "must be a table");
    return toml_table(*node->as_table(), full_name(key), file_);
}

std::vector<std::pair<std::string, toml_table>> toml_table::tables() {
    std::vector<std::pair<std::string, toml_table>> found;
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        found.emplace_back(name, *table(name.c_str()));
    }
    return found;
}

}  // namespace leasebox::apps
