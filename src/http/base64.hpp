// Base64 with the standard alphabet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leasebox::http {

std::string encode_base64(std::string_view bytes);

/// Padding may be missing, as senders write secrets both ways. Empty where the text is no base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace leasebox::http
