// Events from JSON lines: one object a line, named like the columns of leasebox_event.
#pragma once

#include <istream>
#include <string>

#include "apps/cli/context.hpp"

namespace leasebox::apps {

/// Appends all of `in`, or nothing where any line is bad: the error names the line. `destination`
/// stands in where a line has none. Prints the ids before the commit.
void append_jsonl(store& events, std::istream& in, const std::string& name,
                  const std::string& destination, const context& common);

/// One line. A payload that is a string is its characters; any other one is kept as it is written.
/// Throws leasebox::error(invalid_event) that says which column is wrong and how.
draft parse_event(const std::string& line, const std::string& destination, store_time now);

void print_receipts(const std::vector<receipt>& receipts, const context& common);

}  // namespace leasebox::apps
