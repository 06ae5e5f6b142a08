#include "leasebox/core/text.hpp"

namespace leasebox {
namespace {

// The length of the well-formed UTF-8 sequence at the front of `text`, 0 where there is none.
std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second >= 0xA0;
    const bool beyond = first == 0xF4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

bool is_control(std::string_view character) noexcept {
    const auto first = static_cast<unsigned char>(character[0]);
    if (first < 0x20 || first == 0x7F) return true;
    return character.size() == 2 && first == 0xC2 &&
           static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string clean_detail(std::string_view text) {
    std::string clean;
    while (!text.empty() && clean.size() < detail_bytes_max) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        if (length == 0) {
            clean += '?';
        } else if (is_control(character)) {
            clean += ' ';
        } else if (clean.size() + character.size() > detail_bytes_max) {
            break;
        } else {
            clean += character;
        }
    }
    return clean;
}

bool is_text(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t length = utf8_length(bytes);
        if (length == 0 || bytes[0] == '\0') return false;
        bytes.remove_prefix(length);
    }
    return true;
}

}  // namespace leasebox
