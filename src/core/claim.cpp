#include "leasebox/core/claim.hpp"

namespace leasebox {

std::string_view to_string(phase value) noexcept {
    switch (value) {
        case phase::not_started: return "not_started";
        case phase::connecting: return "connecting";
        case phase::writing: return "writing";
        case phase::written: return "written";
        case phase::answered: return "answered";
    }
    return "?";
}

}  // namespace leasebox
