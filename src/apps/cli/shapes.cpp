#include "apps/cli/shapes.hpp"

#include <algorithm>

#include "leasebox/core/text.hpp"

namespace leasebox::apps {
namespace {

namespace json = boost::json;

json::value or_null(const std::optional<std::string>& value) {
    if (!value) return nullptr;
    return json::string(*value);
}

json::value time_or_null(const std::optional<store_time>& at) {
    if (!at) return nullptr;
    return to_ms(*at);
}

template <class Word>
json::value word_or_null(const std::optional<Word>& word) {
    if (!word) return nullptr;
    const std::string_view text = to_string(*word);
    return json::string(text.data(), text.size());
}

json::value text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return json::string(text);
}

json::string word(std::string_view text) {
    return json::string(text.data(), text.size());
}

double age_seconds(const std::optional<store_time>& since, store_time now) {
    if (!since) return 0;
    return std::max(0.0, static_cast<double>((now - *since).count()) / 1000.0);
}

json::object counts_of(const std::map<state, std::int64_t>& events) {
    json::object counts;
    for (const auto& [at, count] : events)
        counts[to_string(at).data()] = count;
    return counts;
}

}  // namespace

json::object shape_of(const event_status& event) {
    const event_row& row = event.row;
    json::object shape;
    shape["id"] = event.id;
    shape["destination"] = event.destination;
    shape["key"] = or_null(event.key);
    shape["type"] = or_null(event.type);
    shape["state"] = word(to_string(row.at));
    shape["reason"] = word_or_null(row.why);
    shape["cause"] = word_or_null(row.how);
    shape["attempts"] = row.attempts;
    shape["expiries"] = row.expiries;
    shape["generation"] = row.generation;
    shape["owner"] = text_or_null(row.owner);
    shape["lease_until"] =
        row.at == state::claimed ? json::value(to_ms(row.lease_until)) : json::value(nullptr);
    shape["not_before"] = to_ms(row.not_before);
    shape["deadline"] = time_or_null(row.deadline);
    shape["appended_at"] = to_ms(event.appended_at);
    shape["settled_at"] = time_or_null(row.settled_at);
    shape["last_outcome"] = word_or_null(row.last_outcome);
    shape["last_error"] = text_or_null(row.last_error);
    shape["replays"] = row.replays;
    shape["seq"] = event.seq;
    shape["payload_bytes"] = event.payload_bytes;
    return shape;
}

json::object shape_of(const std::string& id, const attempt_record& attempt) {
    json::object shape;
    shape["event_id"] = id;
    shape["attempt"] = attempt.attempt;
    shape["generation"] = attempt.generation;
    shape["owner"] = attempt.owner;
    shape["claimed_at"] = to_ms(attempt.claimed_at);
    shape["lease_until"] = to_ms(attempt.lease_until);
    shape["ended_at"] = time_or_null(attempt.ended_at);
    shape["outcome"] = word_or_null(attempt.result);
    shape["late"] = attempt.late ? 1 : 0;
    shape["http_status"] = attempt.http_status != 0 ? json::value(attempt.http_status) : nullptr;
    shape["detail"] = text_or_null(attempt.detail);
    return shape;
}

double oldest_pending_seconds(const store_stats& stats) {
    double oldest = 0;
    for (const auto& [name, one] : stats.destinations) {
        oldest = std::max(oldest, age_seconds(one.oldest_pending, stats.now));
    }
    return oldest;
}

json::object shape_of(const store_stats& stats) {
    std::map<state, std::int64_t> all;
    for (int at = 1; at <= 6; ++at)
        all[static_cast<state>(at)] = 0;
    json::object destinations;
    for (const auto& [name, one] : stats.destinations) {
        for (const auto& [at, count] : one.events)
            all[at] += count;
        json::object shape = counts_of(one.events);
        shape["pruned_dead"] = one.pruned_dead;
        shape["paused"] = one.paused;
        shape["circuit"] = "closed";
        shape["oldest_pending_seconds"] = age_seconds(one.oldest_pending, stats.now);
        destinations[name] = std::move(shape);
    }
    json::object avoided;
    for (const auto& [how, count] : stats.resends_avoided)
        avoided[to_string(how).data()] = count;
    json::object shape;
    shape["events"] = counts_of(all);
    shape["destinations"] = std::move(destinations);
    shape["oldest_pending_seconds"] = oldest_pending_seconds(stats);
    shape["in_flight"] = all[state::claimed];
    shape["lanes_blocked"] = stats.lanes_blocked;
    shape["uncertain"] = stats.uncertain;
    shape["resends_avoided"] = std::move(avoided);
    return shape;
}

json::object shape_of(const claimed_event& event) {
    json::object shape;
    shape["id"] = event.key.id;
    shape["owner"] = event.key.owner;
    shape["generation"] = event.key.generation;
    shape["attempt"] = event.attempt;
    shape["lease_until"] = to_ms(event.lease_until);
    shape["destination"] = event.destination;
    shape["key"] = or_null(event.lane);
    shape["lane_seq"] = event.lane ? json::value(event.lane_seq) : nullptr;
    shape["type"] = text_or_null(event.type);
    shape["content_type"] = event.content_type;
    shape["headers"] = event.headers;
    shape["uncertain"] = event.uncertain;
    const bool text = is_text(event.payload);
    shape["payload"] = text ? json::value(event.payload) : json::value(nullptr);
    if (!text) {
        static constexpr char digits[] = "0123456789abcdef";
        std::string hex;
        for (const char each : event.payload) {
            const auto byte = static_cast<unsigned char>(each);
            hex += digits[byte >> 4];
            hex += digits[byte & 15];
        }
        shape["payload_hex"] = hex;
    }
    return shape;
}

json::object shape_of(const holder& current) {
    json::object shape;
    shape["owner"] = current.owner;
    shape["generation"] = current.generation;
    shape["since"] = to_ms(current.since);
    return shape;
}

}  // namespace leasebox::apps
