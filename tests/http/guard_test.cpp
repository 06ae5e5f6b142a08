#include "http/guard.hpp"

#include <gtest/gtest.h>

namespace leasebox::http {
namespace {

std::string judged(const char* text, bool allow_private = false, bool allow_loopback = false) {
    guard_policy policy;
    policy.allow_private = allow_private;
    policy.allow_loopback = allow_loopback;
    return std::string(refusal(boost::asio::ip::make_address(text), policy).value_or("allowed"));
}

TEST(guard, public_addresses_are_allowed) {
    for (const char* one :
         {"8.8.8.8", "1.1.1.1", "100.63.255.254", "100.128.0.1", "172.15.255.255", "172.32.0.1",
          "198.17.255.255", "223.255.255.255", "192.0.1.1", "2606:4700::1111", "2a00::1",
          "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2001:4860:4860::8888"}) {
        EXPECT_EQ(judged(one), "allowed") << one;
    }
}

TEST(guard, the_registries_blocks_are_refused) {
    for (const auto& [one, kind] : std::initializer_list<std::pair<const char*, const char*>>{
             {"127.0.0.1", "loopback"},
             {"127.255.255.255", "loopback"},
             {"::1", "loopback"},
             {"10.0.0.1", "private"},
             {"172.16.0.1", "private"},
             {"172.31.255.255", "private"},
             {"192.168.1.1", "private"},
             {"fd00::1", "private"},
             {"fc00::1", "private"},
             {"fec0::1", "private"},
             {"169.254.1.1", "link-local"},
             {"fe80::1", "link-local"},
             {"fe81::1", "link-local"},
             {"febf::1", "link-local"},
             {"169.254.169.254", "metadata"},
             {"168.63.129.16", "metadata"},
             {"100.100.100.200", "metadata"},
             {"fd00:ec2::254", "metadata"},
             {"100.64.0.1", "shared (carrier-grade NAT)"},
             {"100.127.255.255", "shared (carrier-grade NAT)"},
             {"198.18.0.1", "benchmarking"},
             {"198.19.255.255", "benchmarking"},
             {"2001:2::1", "benchmarking"},
             {"192.0.2.1", "documentation"},
             {"198.51.100.1", "documentation"},
             {"203.0.113.1", "documentation"},
             {"2001:db8::1", "documentation"},
             {"3fff::1", "documentation"},
             {"192.0.0.1", "reserved"},
             {"192.88.99.1", "reserved"},
             {"240.0.0.1", "reserved"},
             {"2001:0:1::1", "reserved"},
             {"100::1", "discarded"},
             {"0.0.0.0", "unspecified"},
             {"0.1.2.3", "unspecified"},
             {"::", "unspecified"},
             {"224.0.0.1", "multicast"},
             {"ff02::1", "multicast"},
             {"255.255.255.255", "broadcast"}}) {
        EXPECT_EQ(judged(one), kind) << one;
    }
}

TEST(guard, an_ipv4_address_inside_of_ipv6_is_judged_as_itself) {
    for (const auto& [one, kind] : std::initializer_list<std::pair<const char*, const char*>>{
             {"::ffff:127.0.0.1", "loopback"},
             {"::ffff:7f00:1", "loopback"},
             {"::7f00:1", "loopback"},
             {"::ffff:0:7f00:1", "loopback"},
             {"::ffff:169.254.169.254", "metadata"},
             {"64:ff9b::7f00:1", "loopback"},
             {"64:ff9b::a00:1", "private"},
             {"64:ff9b:1::7f00:1", "translated"},
             {"2002:7f00:1::", "loopback"},
             {"2002:a00:1::", "private"}}) {
        EXPECT_EQ(judged(one), kind) << one;
    }
}

TEST(guard, a_zone_is_refused) {
    EXPECT_EQ(judged("fe80::1%1", true, true), "scoped");
}

TEST(guard, allow_loopback_lifts_loopback_only) {
    for (const char* one : {"127.0.0.1", "::1", "::ffff:127.0.0.1"}) {
        EXPECT_EQ(judged(one, false, true), "allowed") << one;
    }
    EXPECT_EQ(judged("10.0.0.1", false, true), "private");
    EXPECT_EQ(judged("169.254.169.254", false, true), "metadata");
}

TEST(guard, allow_private_lifts_what_a_host_can_be_at) {
    for (const char* one : {"127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "fd00::1", "fe80::1",
                            "100.64.0.1", "::ffff:10.0.0.1"}) {
        EXPECT_EQ(judged(one, true), "allowed") << one;
    }
    for (const char* one : {"0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255"}) {
        EXPECT_NE(judged(one, true), "allowed") << one;
    }
}

}  // namespace
}  // namespace leasebox::http
