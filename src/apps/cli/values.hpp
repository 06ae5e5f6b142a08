// Options with units and ranges. Every limit is finite: 0, negative and infinite values are
// refused with the option's name and what it may be.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
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

/// A whole number from `least` up.
CLI::Option* add_number(CLI::App& command, const std::string& name, std::int64_t& into,
                        std::int64_t least, const std::string& about);

/// Refuses an empty value, such as that of a shell variable which was never set.
std::string not_empty(const std::string& value);

}  // namespace leasebox::apps
