#include "apps/cli/context.hpp"

#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "leasebox/sqlite/store.hpp"

namespace leasebox::apps {

void context::add_common(CLI::App& command) {
    command.add_option("--store", store_,
                       "the store: a path, or sqlite:PATH (default: $LEASEBOX_STORE)");
    command.add_flag("--json", json_, "print JSON: one object, or one a line");
}

std::string context::store_path(const std::optional<std::string>& configured) const {
    std::string text = store_;
    const char* environment = std::getenv("LEASEBOX_STORE");
    if (text.empty() && environment != nullptr) text = environment;
    if (text.empty() && configured) text = *configured;
    if (text.empty()) {
        throw usage_error("--store is missing: give a path, or set LEASEBOX_STORE");
    }
    if (text.starts_with("postgres:") || text.starts_with("postgresql:")) {
        throw error(errc::invalid_option, "this program was built without PostgreSQL; use a path");
    }
    return text.starts_with("sqlite:") ? text.substr(7) : text;
}

std::unique_ptr<store> context::open_store(bool create) const {
    const std::string path = store_path();
    if (!create && !std::filesystem::exists(path)) {
        throw error(errc::no_schema, "there is no store at " + path +
                                         "; make one with: leasebox init --store " + path);
    }
    sqlite::options how;
    how.create = create;
    return sqlite::open(path, how);
}

void context::print(const boost::json::value& value) const {
    std::cout << boost::json::serialize(value) << "\n";
}

}  // namespace leasebox::apps
