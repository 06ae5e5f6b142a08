// The observer that writes to spdlog: one line a record, as text or as a JSON object.
#pragma once

#include <spdlog/formatter.h>
#include <spdlog/logger.h>

#include <memory>

#include "leasebox/observer.hpp"

namespace leasebox::log {

enum class style : std::uint8_t {
    text,  ///< a message for people, then name=value pairs
    json,  ///< one JSON object a line; give the logger a json_formatter
};

/// Writes to `to` only; touches neither spdlog's registry nor its default logger. Every line
/// about an event has id, destination, generation and attempt. Transactions are written at debug
/// level only. As safe from many threads as the logger's sinks are ("_mt").
std::shared_ptr<observer> make_observer(std::shared_ptr<spdlog::logger> to, style how);

/// Wraps lines made with style::json: {"ts":"…Z","level":"…",…}. The time is UTC.
std::unique_ptr<spdlog::formatter> make_json_formatter();

}  // namespace leasebox::log
