#include "http/request.hpp"

#include <algorithm>
#include <array>
#include <boost/beast/http/fields.hpp>
#include <boost/json/parse.hpp>
#include <string_view>

#ifndef LEASEBOX_VERSION_SHORT
#error "LEASEBOX_VERSION_SHORT is set by the build"
#endif

namespace leasebox::http {
namespace {

using boost::beast::http::fields;

constexpr std::string_view user_agent = "Leasebox/" LEASEBOX_VERSION_SHORT;

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

bool is_token(std::string_view name) {
    constexpr std::string_view allowed =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
}

// Beast writes whatever it is given, a line break too, so every value is looked at here.
bool is_value(std::string_view value) {
    return std::none_of(value.begin(), value.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7F;
    });
}

// Ours, and those that govern the connection rather than the message.
bool is_protected(std::string_view name) {
    constexpr std::array<std::string_view, 13> names{
        "connection", "content-length",   "content-type", "expect",  "host",
        "keep-alive", "idempotency-key",  "te",           "trailer", "transfer-encoding",
        "upgrade",    "proxy-connection", "user-agent"};
    const std::string low = lower(name);
    return low.starts_with("webhook-") || low.starts_with("leasebox-") ||
           std::find(names.begin(), names.end(), low) != names.end();
}

void set(fields& into, std::string_view name, std::string_view value) {
    if (!is_token(name) || !is_value(value)) return;
    into.set(boost::beast::string_view(name.data(), name.size()),
             boost::beast::string_view(value.data(), value.size()));
}

void set_event_headers(fields& into, const std::string& headers) {
    boost::system::error_code failed;
    const auto parsed = boost::json::parse(headers, failed);
    const auto* const all = failed ? nullptr : parsed.if_object();
    if (all == nullptr) return;
    for (const auto& [name, value] : *all) {
        const auto* const text = value.if_string();
        if (text == nullptr || is_protected({name.data(), name.size()})) continue;
        set(into, {name.data(), name.size()}, {text->data(), text->size()});
    }
}

// Reversible: the percent sign is encoded as well, and spaces at the ends, which are no part of
// a header's value.
std::string encode_key(std::string_view key) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (std::size_t at = 0; at < key.size(); ++at) {
        const auto byte = static_cast<unsigned char>(key[at]);
        const bool edge = at == 0 || at + 1 == key.size();
        if (byte > 0x7E || byte < 0x20 || byte == '%' || (byte == ' ' && edge)) {
            encoded += '%';
            encoded += digits[byte >> 4];
            encoded += digits[byte & 15];
        } else {
            encoded += key[at];
        }
    }
    return encoded;
}

void set_identity(fields& into, const claimed_event& event) {
    set(into, "webhook-id", event.key.id);
    set(into, "idempotency-key", event.key.id);
    set(into, "leasebox-generation", std::to_string(event.key.generation));
    set(into, "leasebox-attempt", std::to_string(event.attempt));
    if (event.lane) {
        set(into, "leasebox-key", encode_key(*event.lane));
        set(into, "leasebox-lane-seq", std::to_string(event.lane_seq));
        if (!event.lane_gap.empty()) set(into, "leasebox-lane-gap", event.lane_gap);
    }
}

void set_signature(fields& into, const signer& keys, const claimed_event& event, store_time now) {
    const std::int64_t now_s = to_ms(now) / 1000;
    set(into, "webhook-timestamp", std::to_string(now_s));
    if (keys.empty()) return;
    set(into, "webhook-signature", keys.sign(event.key.id, now_s, event.payload));
}

std::string to_text(const endpoint& to, const fields& head, std::string_view body) {
    std::string text = "POST " + to.target + " HTTP/1.1\r\n";
    for (const auto& field : head) {
        const auto name = field.name_string();
        const auto value = field.value();
        text.append(name.data(), name.size()).append(": ");
        text.append(value.data(), value.size()).append("\r\n");
    }
    return text.append("\r\n").append(body);
}

}  // namespace

std::optional<std::string> unsendable(const claimed_event& event) {
    const std::string& id = event.key.id;
    const bool plain =
        std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (id.empty() || !plain) return "the event's id can't be sent as a header";
    if (!is_value(event.content_type)) return "the event's content_type can't be sent as a header";
    return std::nullopt;
}

std::string write_request(const endpoint& to, const signer& keys, const claimed_event& event,
                          store_time now) {
    fields head;
    set(head, "host", to.host_header);
    set(head, "user-agent", user_agent);
    if (!event.content_type.empty()) set(head, "content-type", event.content_type);
    set(head, "content-length", std::to_string(event.payload.size()));
    set_identity(head, event);
    set_signature(head, keys, event, now);
    set_event_headers(head, event.headers);
    return to_text(to, head, event.payload);
}

}  // namespace leasebox::http
