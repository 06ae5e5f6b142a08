// The version that this header belongs to, and the one that is linked.
#pragma once

#include <string_view>

#define LEASEBOX_VERSION "0.1.0"

namespace leasebox {

/// The version of the compiled library; differs from LEASEBOX_VERSION where headers and library
/// do not belong together.
std::string_view version() noexcept;

}  // namespace leasebox
