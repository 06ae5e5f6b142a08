#include "http/base64.hpp"

#include <openssl/evp.h>

namespace leasebox::http {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
    // OpenSSL writes a NUL behind the text, which std::string has room for.
    std::string text((bytes.size() + 2) / 3 * 4, '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                    static_cast<int>(bytes.size()));
    return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
    std::size_t padding = 0;
    while (padding < 2 && !text.empty() && text.back() == '=') {
        text.remove_suffix(1);
        ++padding;
    }
    if (padding != 0 && (text.size() + padding) % 4 != 0) return std::nullopt;
    if (text.size() % 4 == 1) return std::nullopt;
    if (text.find_first_not_of(alphabet) != std::string_view::npos) return std::nullopt;
    std::string padded(text);
    padded.append((4 - text.size() % 4) % 4, '=');
    std::string bytes(padded.size() / 4 * 3, '\0');
    const int decoded = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                        bytes_of(padded), static_cast<int>(padded.size()));
    if (decoded < 0) return std::nullopt;
    bytes.resize(text.size() * 3 / 4);
    return bytes;
}

}  // namespace leasebox::http
