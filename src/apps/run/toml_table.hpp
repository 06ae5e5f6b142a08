// Reading a TOML table strictly: every key must be known, of its type and inside its range.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leasebox/core/error.hpp"
#include "leasebox/core/time.hpp"

namespace leasebox::apps {

/// The one of `known` that `written` was probably meant to be; empty where none is near.
std::string nearest(const std::string& written, const std::vector<std::string>& known);

class toml_table {
public:
    /// `place` is the table's own key, such as "destinations.billing"; empty at the top.
    toml_table(const toml::table& table, std::string place, std::string file);

    std::optional<std::string> text(const char* key);
    std::optional<bool> boolean(const char* key);
    std::optional<int> integer(const char* key);
    std::optional<milliseconds> duration(const char* key);
    std::optional<std::vector<std::string>> texts(const char* key);
    std::optional<std::vector<int>> integers(const char* key);
    std::optional<toml_table> table(const char* key);
    /// The tables inside this one, whatever their names.
    std::vector<std::pair<std::string, toml_table>> tables();

    /// Throws, naming the file, the line and the key, followed by `rule`.
    [[noreturn]] void refuse(const std::string& key, const std::string& rule) const;

    /// Throws where a key was never asked for; says which one was probably meant.
    void refuse_unknown() const;

private:
    const toml::node* find(const char* key);
    std::string full_name(const std::string& key) const;

    const toml::table* table_;
    std::string place_;
    std::string file_;
    std::set<std::string> known_;
};

}  // namespace leasebox::apps
