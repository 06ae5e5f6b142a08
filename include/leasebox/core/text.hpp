// Text that came from outside, before it is kept or shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leasebox {

/// Details longer than this are cut, at a character's border.
inline constexpr std::size_t detail_bytes_max = 1024;

/// `text` without control characters and invalid UTF-8, cut to detail_bytes_max. Everything that
/// a consumer or the network wrote goes through this before it is kept or shown.
std::string clean_detail(std::string_view text);

/// True where `bytes` is valid UTF-8 without NUL, so that it can be kept as text.
bool is_text(std::string_view bytes) noexcept;

}  // namespace leasebox
