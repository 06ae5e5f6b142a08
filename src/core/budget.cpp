#include "leasebox/core/budget.hpp"

#include <algorithm>

namespace leasebox {

milliseconds backoff::bound(int failures) const noexcept {
    milliseconds grown = std::min(first, max);
    for (int done = 1; done < failures && grown < max; ++done) {
        grown = grown > max / 2 ? max : grown * 2;
    }
    return grown;
}

milliseconds backoff::delay(int failures, std::uint64_t random) const noexcept {
    const auto limit =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, bound(failures).count()));
    return milliseconds{static_cast<std::int64_t>(random % limit) + 1};
}

}  // namespace leasebox
