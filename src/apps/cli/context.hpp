// What the commands have in common: the store they work on, and how they talk.
#pragma once

#include <CLI/CLI.hpp>

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>

#include "leasebox/store.hpp"

namespace leasebox::apps {

/// The exit codes of the contract.
enum class exit_code : int {
    done = 0,
    failed = 1,
    usage = 2,
    refused = 3,
    violation = 4,
    no_such_event = 5,
};

/// Ends the command with a code after everything has been printed.
struct finished {
    exit_code code = exit_code::done;
};

/// A mistake in how the program was called; the message names the option and its rule.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Ends a command that was asked about an event which is not there.
class no_such_event : public std::runtime_error {
public:
    explicit no_such_event(const std::string& id) : std::runtime_error("there is no event " + id) {}
};

class context {
public:
    /// Adds --store and --json to a command.
    void add_common(CLI::App& command);

    /// Adds --json alone, to a command that needs no store.
    void add_json(CLI::App& command);

    /// The path of the store: --store, else LEASEBOX_STORE, else `configured`.
    std::string store_path(const std::optional<std::string>& configured = std::nullopt) const;

    /// Opens it; where it may not be created, a missing file is an error that says what to do.
    std::unique_ptr<store> open_store(bool create) const;

    bool json() const noexcept { return json_; }

    /// One object on stdout, one line of valid UTF-8, whatever bytes are in it.
    void print(const boost::json::value& value) const;

private:
    std::string store_;
    bool json_ = false;
};

/// Commits one operation and gives back its reply; throws leasebox::error where it failed.
template <class Reply, class Request>
Reply commit_one(store& events, Request request) {
    const std::vector<operation> batch{std::move(request)};
    std::vector<reply> replies = events.commit(batch);
    if (const auto* failed = std::get_if<failure>(&replies.front())) {
        throw error(static_cast<errc>(failed->code.value()), failed->sentence);
    }
    return std::get<Reply>(std::move(replies.front()));
}

}  // namespace leasebox::apps
