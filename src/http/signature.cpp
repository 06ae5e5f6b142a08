#include "leasebox/http/signature.hpp"

#include <charconv>

#include "http/keys.hpp"
#include "leasebox/core/error.hpp"

namespace leasebox::http {
namespace {

std::string place(const char* name, std::size_t at) {
    return std::string(name) + "[" + std::to_string(at) + "]";
}

std::int64_t parse_seconds(std::string_view text) noexcept {
    std::int64_t seconds = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return failed == std::errc{} && end == text.data() + text.size() ? seconds : -1;
}

}  // namespace

signer::signer(const std::vector<std::string>& secrets) {
    for (std::size_t at = 0; at < secrets.size(); ++at) {
        keys_.push_back(make_signing_key(secrets[at], place("secrets", at)));
    }
}

std::string signer::sign(std::string_view id, std::int64_t timestamp_s,
                         std::string_view body) const {
    signed_content content;
    content.prefix = std::string(id) + "." + std::to_string(timestamp_s) + ".";
    content.body = body;
    std::string all;
    for (const auto& key : keys_) {
        if (!all.empty()) all += ' ';
        all += key->sign(content);
    }
    return all;
}

std::string_view to_string(signature_check value) noexcept {
    switch (value) {
        case signature_check::valid:
            return "valid";
        case signature_check::missing:
            return "missing";
        case signature_check::bad_timestamp:
            return "bad_timestamp";
        case signature_check::too_old:
            return "too_old";
        case signature_check::too_new:
            return "too_new";
        case signature_check::no_match:
            return "no_match";
    }
    return "?";
}

verifier::verifier(const std::vector<std::string>& keys, std::chrono::seconds tolerance)
    : tolerance_(tolerance) {
    if (tolerance.count() < 1) throw error(errc::invalid_option, "tolerance must be 1 s or more");
    if (keys.empty()) throw error(errc::invalid_option, "keys must hold at least one");
    for (std::size_t at = 0; at < keys.size(); ++at) {
        keys_.push_back(make_checking_key(keys[at], place("keys", at)));
    }
}

signature_check verifier::check(const signature_headers& headers, std::string_view body,
                                std::int64_t now_s) const {
    if (headers.id.empty() || headers.timestamp.empty() || headers.signature.empty()) {
        return signature_check::missing;
    }
    const std::int64_t signed_at = parse_seconds(headers.timestamp);
    if (signed_at < 0) return signature_check::bad_timestamp;
    if (signed_at < now_s && now_s - signed_at > tolerance_.count()) {
        return signature_check::too_old;
    }
    if (signed_at > now_s && signed_at - now_s > tolerance_.count()) {
        return signature_check::too_new;
    }
    signed_content content;
    content.prefix.append(headers.id).append(".").append(headers.timestamp).append(".");
    content.body = body;
    std::string_view left = headers.signature;
    while (!left.empty()) {
        const std::string_view one = left.substr(0, left.find(' '));
        left.remove_prefix(std::min(one.size() + 1, left.size()));
        for (const auto& key : keys_) {
            if (key->fits(content, one)) return signature_check::valid;
        }
    }
    return signature_check::no_match;
}

}  // namespace leasebox::http
