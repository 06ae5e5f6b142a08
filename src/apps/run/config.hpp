// The configuration of `leasebox run`: a TOML file, and what the command line says over it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "leasebox/dispatcher.hpp"
#include "leasebox/http/sink.hpp"

namespace leasebox::apps {

struct configured_destination {
    http::destination_options wire;
    destination_options how;
};

struct configuration {
    std::optional<std::string> store;
    dispatcher_options dispatcher;
    std::map<std::string, configured_destination> destinations;
};

/// Reads the file. Throws leasebox::error(invalid_option): the sentence names the file, the line,
/// the key and the rule, and never shows a secret.
configuration read_configuration(const std::string& path);

/// The same from text; `name` stands for the file in sentences.
configuration parse_configuration(const std::string& text, const std::string& name);

/// A secret as it is written in a file or on a command line: the value itself, `env:NAME`,
/// `file:PATH` or `credential:NAME`. Throws where the source is missing or readable by all.
std::string resolve_secret(const std::string& written);

}  // namespace leasebox::apps
