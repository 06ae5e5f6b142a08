// Options with units and ranges. Every limit is finite: 0, negative and infinite values are
// refused with the option's name and what it may be.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "leasebox/core/time.hpp"

namespace leasebox::apps {

/// A duration such as 200ms, 30s, 5m, 24h or 7d.
CLI::Option* add_duration(CLI::App& command, const std::string& name,
                          std::optional<milliseconds>& into, const std::string& about);

/// A whole number from 1 to `most`.
CLI::Option* add_count(CLI::App& command, const std::string& name, std::optional<int>& into,
                       int most, const std::string& about);

}  // namespace leasebox::apps
