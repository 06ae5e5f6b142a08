#include "dispatch/options.hpp"

#include <random>
#include <string_view>

namespace leasebox::dispatch {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void refuse(const std::string& field, const std::string& value,
                         const std::string& rule) {
    throw error(errc::invalid_option, field + " is " + value + "; it must be " + rule);
}

void check_range(const char* field, int value, int low, int high) {
    if (value >= low && value <= high) return;
    refuse(field, std::to_string(value),
           "from " + std::to_string(low) + " to " + std::to_string(high));
}

void check_range(const char* field, milliseconds value, milliseconds low, milliseconds high) {
    if (value >= low && value <= high) return;
    refuse(field, format_duration(value),
           "from " + format_duration(low) + " to " + format_duration(high));
}

void check_name(const char* field, const std::string& name, std::size_t size_max) {
    const bool fits = !name.empty() && name.size() <= size_max;
    const bool plain = name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                              "0123456789._:-") == std::string::npos;
    if (fits && plain) return;
    refuse(field, '"' + name + '"',
           "1 to " + std::to_string(size_max) + " characters of A-Z a-z 0-9 . _ : -");
}

void check(const send_rate& rate) {
    check_range("rate.count", rate.count, 1, 1'000'000);
    check_range("rate.per", rate.per, 1s, 1h);
}

void check(const breaker_options& options) {
    check_range("breaker.window", options.window, 1s, 1h);
    check_range("breaker.attempts_min", options.attempts_min, 1, 100'000);
    check_range("breaker.failure_percent", options.failure_percent, 1, 100);
    check_range("breaker.open_first", options.open_first, 1ms, 24h);
    check_range("breaker.open_max", options.open_max, 1ms, 24h);
    if (options.open_first > options.open_max) {
        refuse("breaker.open_first", format_duration(options.open_first),
               "at most breaker.open_max (" + format_duration(options.open_max) + ")");
    }
}

void check_age(const char* field, std::optional<milliseconds> age) {
    if (age) check_range(field, *age, 1ms, 24h * 3650);
}

void check_relations(const dispatcher_options& options) {
    if (options.lease <= options.attempt_timeout + options.lease_margin) {
        refuse("lease", format_duration(options.lease),
               "longer than attempt_timeout (" + format_duration(options.attempt_timeout) +
                   ") and lease_margin (" + format_duration(options.lease_margin) + ") together");
    }
    if (options.retry.first > options.retry.max) {
        refuse("backoff.first", format_duration(options.retry.first),
               "at most backoff.max (" + format_duration(options.retry.max) + ")");
    }
    if (options.limits.lease_total_max < options.lease) {
        refuse("lease_total_max", format_duration(options.limits.lease_total_max),
               "at least lease (" + format_duration(options.lease) + ")");
    }
}

}  // namespace

void check(const dispatcher_options& options) {
    check_name("owner", options.owner, 100);
    check_range("in_flight", options.in_flight, 1, 10'000);
    check_range("claim_max", options.claim_max, 1, 10'000);
    check_range("lease", options.lease, 100ms, 24h);
    check_range("attempt_timeout", options.attempt_timeout, 1ms, 24h);
    check_range("lease_margin", options.lease_margin, 1ms, 1h);
    check_range("drain", options.drain, 1ms, 24h);
    check_range("poll", options.poll, 1ms, 1min);
    check_range("attempts_max", options.limits.attempts_max, 1, 1'000'000);
    check_range("expiries_max", options.limits.expiries_max, 1, 1'000);
    check_range("lifetime", options.limits.lifetime, 1ms, 24h * 3650);
    check_range("renewals_max", options.limits.renewals_max, 1, 100'000);
    check_range("lease_total_max", options.limits.lease_total_max, 100ms, 24h * 7);
    check_range("backoff.first", options.retry.first, 1ms, 24h);
    check_range("backoff.max", options.retry.max, 1ms, 24h * 30);
    check_age("retention.delivered", options.retention.delivered);
    check_age("retention.cancelled", options.retention.cancelled);
    check_age("retention.dead", options.retention.dead);
    check_range("store_queue_max", options.store_queue_max, 1, 10'000'000);
    check_range("store_batch_max", options.store_batch_max, 1, 100'000);
    check_relations(options);
}

void check(const std::string& destination, const destination_options& options) {
    check_name("destination", destination, 200);
    check_range("in_flight", options.in_flight, 1, 10'000);
    if (options.rate) check(*options.rate);
    check(options.breaker);
}

std::string unique_owner(const std::string& name) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::random_device entropy;
    std::string owner = name + '#';
    for (int at = 0; at < 12; ++at) owner += digits[entropy() % 16];
    return owner;
}

}  // namespace leasebox::dispatch
