#include "http/guard.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace leasebox::http {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;
using boost::asio::ip::make_address_v6;

// What lifts a refusal.
enum class lifted_by : std::uint8_t { nothing, allow_private, allow_loopback };

struct v4_block {
    std::uint32_t network;
    int bits;
    std::string_view kind;
    lifted_by lift;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return (a << 24) | (b << 16) | (c << 8) | d;
}

constexpr auto never = lifted_by::nothing;
constexpr auto privately = lifted_by::allow_private;

// IANA IPv4 Special-Purpose Address Registry, and the metadata services of clouds that stand
// outside of it. The first match counts.
constexpr std::array<v4_block, 20> v4_blocks{{
    {v4(127, 0, 0, 0), 8, "loopback", lifted_by::allow_loopback},
    {v4(10, 0, 0, 0), 8, "private", privately},
    {v4(172, 16, 0, 0), 12, "private", privately},
    {v4(192, 168, 0, 0), 16, "private", privately},
    {v4(169, 254, 169, 254), 32, "metadata", privately},
    {v4(100, 100, 100, 200), 32, "metadata", privately},
    {v4(168, 63, 129, 16), 32, "metadata", privately},
    {v4(192, 0, 0, 192), 32, "metadata", privately},
    {v4(169, 254, 0, 0), 16, "link-local", privately},
    {v4(100, 64, 0, 0), 10, "shared (carrier-grade NAT)", privately},
    {v4(198, 18, 0, 0), 15, "benchmarking", privately},
    {v4(192, 0, 2, 0), 24, "documentation", privately},
    {v4(198, 51, 100, 0), 24, "documentation", privately},
    {v4(203, 0, 113, 0), 24, "documentation", privately},
    {v4(192, 0, 0, 0), 24, "reserved", privately},
    {v4(192, 88, 99, 0), 24, "reserved", privately},
    {v4(0, 0, 0, 0), 8, "unspecified", never},
    {v4(224, 0, 0, 0), 4, "multicast", never},
    {v4(255, 255, 255, 255), 32, "broadcast", never},
    {v4(240, 0, 0, 0), 4, "reserved", never},
}};

struct v6_block {
    const char* network;
    int bits;
    std::string_view kind;
    lifted_by lift;
};

// IANA IPv6 Special-Purpose Address Registry. Blocks that carry an IPv4 address are judged by it.
constexpr std::array<v6_block, 15> v6_blocks{{
    {"::1", 128, "loopback", lifted_by::allow_loopback},
    {"::", 128, "unspecified", never},
    {"fd00:ec2::254", 128, "metadata", privately},
    {"fc00::", 7, "private", privately},
    {"fe80::", 10, "link-local", privately},
    {"fec0::", 10, "private", privately},
    {"ff00::", 8, "multicast", never},
    {"64:ff9b:1::", 48, "translated", privately},
    {"2001:2::", 48, "benchmarking", privately},
    {"2001:db8::", 32, "documentation", privately},
    {"3fff::", 20, "documentation", privately},
    {"2001::", 23, "reserved", privately},
    {"100::", 64, "discarded", never},
    {"5f00::", 16, "reserved", privately},
    {"2620:4f:8000::", 48, "reserved", privately},
}};

struct carrier {
    const char* network;
    int bits;
    std::size_t at;  // of the first byte of the IPv4 address
};

constexpr std::array<carrier, 5> carriers{{
    {"::ffff:0:0", 96, 12},    // mapped
    {"::ffff:0:0:0", 96, 12},  // translated (SIIT)
    {"::", 96, 12},            // compatible
    {"64:ff9b::", 96, 12},     // NAT64
    {"2002::", 16, 2},         // 6to4
}};

bool within(const address_v6& inner, const char* network, int bits) {
    const auto a = inner.to_bytes();
    const auto b = make_address_v6(network).to_bytes();
    for (std::size_t at = 0; at < a.size() && bits > 0; ++at, bits -= 8) {
        const int unused = std::max(0, 8 - bits);
        if ((a[at] >> unused) != (b[at] >> unused)) return false;
    }
    return true;
}

std::optional<std::string_view> judge(std::string_view kind, lifted_by lift,
                                      const guard_policy& policy) {
    const bool loopback = lift == lifted_by::allow_loopback && policy.allow_loopback;
    const bool any = lift != lifted_by::nothing && policy.allow_private;
    if (loopback || any) return std::nullopt;
    return kind;
}

std::optional<std::string_view> refusal_v4(const address_v4& inner, const guard_policy& policy) {
    for (const auto& block : v4_blocks) {
        if (((inner.to_uint() ^ block.network) >> (32 - block.bits)) == 0) {
            return judge(block.kind, block.lift, policy);
        }
    }
    return std::nullopt;
}

std::optional<std::string_view> refusal_v6(const address_v6& inner, const guard_policy& policy) {
    if (inner.scope_id() != 0) return "scoped";
    for (const auto& block : v6_blocks) {
        if (within(inner, block.network, block.bits)) return judge(block.kind, block.lift, policy);
    }
    for (const auto& block : carriers) {
        if (!within(inner, block.network, block.bits)) continue;
        address_v4::bytes_type carried{};
        const auto bytes = inner.to_bytes();
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(block.at), carried.size(),
                    carried.begin());
        return refusal_v4(address_v4(carried), policy);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string_view> refusal(const address& inner, const guard_policy& policy) {
    return inner.is_v4() ? refusal_v4(inner.to_v4(), policy) : refusal_v6(inner.to_v6(), policy);
}

}  // namespace leasebox::http
