#include "apps/cli/context.hpp"

#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "leasebox/core/text.hpp"
#include "leasebox/sqlite/store.hpp"

namespace leasebox::apps {
namespace {

// What SQLite takes for a database in memory, or for one that it removes at the end: an event
// that is appended there is lost.
void require_file(const std::string& path) {
    if (path.empty() || path == ":memory:" || path.starts_with("file:")) {
        throw usage_error("--store: '" + path + "' must be the path of a file, such as app.db");
    }
}

// Columns that take any bytes may hold some that are no text.
std::string as_utf8(const std::string& text) {
    if (is_text(text)) return text;
    std::string clean;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t length = 1;
        while (length <= 4 && !is_text(std::string_view(text).substr(at, length)))
            ++length;
        clean += length <= 4 ? text.substr(at, length) : "\xEF\xBF\xBD";
        at += length <= 4 ? length : 1;
    }
    return clean;
}

}  // namespace

void context::add_common(CLI::App& command) {
    command.add_option("--store", store_,
                       "the store: a path, or sqlite:PATH (default: $LEASEBOX_STORE)");
    add_json(command);
}

void context::add_json(CLI::App& command) {
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
    if (text.starts_with("sqlite:")) text.erase(0, 7);
    require_file(text);
    return text;
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
    std::cout << as_utf8(boost::json::serialize(value)) << "\n";
}

}  // namespace leasebox::apps
