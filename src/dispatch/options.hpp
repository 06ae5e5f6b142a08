// The options' ranges and relations.
#pragma once

#include "leasebox/dispatcher.hpp"

namespace leasebox::dispatch {

/// Throws leasebox::error(invalid_option); its sentence names the field, the value and the rule.
void check(const dispatcher_options& options);
void check(const std::string& destination, const destination_options& options);

/// `name` with a random part that no other start of any process has.
std::string unique_owner(const std::string& name);

}  // namespace leasebox::dispatch
