#include "leasebox/version.hpp"

namespace leasebox {

std::string_view version() noexcept { return LEASEBOX_VERSION; }

}  // namespace leasebox
