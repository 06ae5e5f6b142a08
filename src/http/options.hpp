// The rules of destination_options, checked once.
#pragma once

#include "leasebox/http/sink.hpp"

namespace leasebox::http {

/// Throws leasebox::error(invalid_option). URL, secrets and ca_file are checked where they are
/// read.
void check(const destination_options& options);

}  // namespace leasebox::http
