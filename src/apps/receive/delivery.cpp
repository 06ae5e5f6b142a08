#include "apps/receive/delivery.hpp"

#include <charconv>
#include <string_view>

namespace leasebox::apps {
namespace {

std::optional<std::int64_t> read_number(const request& from, std::string_view name,
                                        std::string& wrong) {
    const auto found = from.find(name);
    if (found == from.end()) return std::nullopt;
    const std::string_view text = found->value();
    std::int64_t value = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed == std::errc{} && end == text.data() + text.size() && value >= 0) return value;
    wrong.assign(name).append(" is no number");
    return std::nullopt;
}

// Whatever is no percent and two hexadecimal digits stands for itself.
std::string percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned char byte = 0;
        if (text[at] == '%' && at + 2 < text.size()) {
            const char* digits = text.data() + at + 1;
            if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
                plain += static_cast<char>(byte);
                at += 2;
                continue;
            }
        }
        plain += text[at];
    }
    return plain;
}

}  // namespace

delivery read_delivery(const request& from, std::string& wrong) {
    delivery read;
    read.id = std::string(from["webhook-id"]);
    if (read.id.empty()) wrong = "webhook-id is missing";
    if (const auto key = from.find("leasebox-key"); key != from.end()) {
        read.key = percent_decoded(key->value());
    }
    read.lane_seq = read_number(from, "leasebox-lane-seq", wrong);
    read.generation = read_number(from, "leasebox-generation", wrong);
    read.attempt = read_number(from, "leasebox-attempt", wrong);
    return read;
}

delivery read_lookup(const request& from, std::string& wrong) {
    delivery read;
    read.what = ask::look_up;
    std::string_view path = from.target();
    path = path.substr(0, path.find('?'));
    read.id = percent_decoded(path.substr(path.rfind('/') + 1));
    read.generation = read_number(from, "leasebox-generation", wrong);
    if (read.id.empty()) wrong = "the path names no event";
    if (!read.generation && wrong.empty()) wrong = "leasebox-generation is missing";
    const std::string_view signed_id = from["webhook-id"];
    if (!signed_id.empty() && signed_id != read.id) wrong = "webhook-id is another event's";
    return read;
}

}  // namespace leasebox::apps
