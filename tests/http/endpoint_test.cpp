#include "http/endpoint.hpp"

#include <gtest/gtest.h>

#include "leasebox/core/error.hpp"

namespace leasebox::http {
namespace {

TEST(endpoint, a_url_is_taken_apart) {
    const endpoint to = parse_endpoint("https://Example.ORG/hooks/a%20b?x=1&y=%0d%0a");
    EXPECT_TRUE(to.secure);
    EXPECT_EQ(to.host, "example.org");
    EXPECT_EQ(to.port, 443);
    EXPECT_EQ(to.host_header, "example.org");
    EXPECT_EQ(to.target, "/hooks/a%20b?x=1&y=%0d%0a");
    EXPECT_FALSE(to.literal);
}

TEST(endpoint, what_is_left_out_has_its_default) {
    EXPECT_EQ(parse_endpoint("http://a").target, "/");
    EXPECT_EQ(parse_endpoint("http://a?b").target, "/?b");
    EXPECT_EQ(parse_endpoint("http://a").port, 80);
    EXPECT_EQ(parse_endpoint("http://a:/").port, 80);
    EXPECT_EQ(parse_endpoint("http://a:80/").host_header, "a");
    EXPECT_EQ(parse_endpoint("http://a:443/").host_header, "a:443");
    EXPECT_EQ(parse_endpoint("https://a:8443/").host_header, "a:8443");
}

TEST(endpoint, addresses_are_literals) {
    EXPECT_TRUE(parse_endpoint("http://10.0.0.1:8080/").literal);
    const endpoint v6 = parse_endpoint("http://[::1]:8080/x");
    ASSERT_TRUE(v6.literal);
    EXPECT_EQ(v6.host, "::1");
    EXPECT_EQ(v6.host_header, "[::1]:8080");
    EXPECT_EQ(parse_endpoint("https://[::1]/").host_header, "[::1]");
    EXPECT_TRUE(parse_endpoint("http://[::ffff:127.0.0.1]/").literal);
}

TEST(endpoint, odd_spellings_of_addresses_are_names_and_judged_once_resolved) {
    for (const char* odd : {"http://127.1/", "http://0x7f.1/", "http://2130706433/",
                            "http://0177.0.0.1/", "http://1/"}) {
        EXPECT_FALSE(parse_endpoint(odd).literal) << odd;
    }
}

TEST(endpoint, a_bad_url_is_refused_and_not_shown) {
    for (const std::string& bad : {std::string(),
                                   std::string("example.org"),
                                   std::string("/path"),
                                   std::string("ftp://a/"),
                                   std::string("http:///x"),
                                   std::string("http:a"),
                                   std::string("http://user:secret@a/"),
                                   std::string("http://user@a/"),
                                   std::string("http://a/#secret"),
                                   std::string("http://[fe80::1%25lo]/"),
                                   std::string("http://[fe80::1%lo]/"),
                                   std::string("http://a:0/"),
                                   std::string("http://a:65536/"),
                                   std::string("http://a:x/"),
                                   std::string("http://a/secret\r\nx: y"),
                                   std::string("http://a/\tsecret"),
                                   std::string("http://a/ secret"),
                                   std::string("http://a/\0secret", 16),
                                   std::string("http://a/\x7f"),
                                   std::string("http://\xEF\xBC\x91/"),
                                   std::string("http://127.0.0.1./"),
                                   std::string("http://127.0.0.1.secret.example/"),
                                   std::string("http://a:80secret/"),
                                   std::string("http://[::1]secret/"),
                                   std::string("http://%31/"),
                                   std::string("http://a%00b/"),
                                   std::string("http://[::1/"),
                                   std::string("http://[v1.x]/"),
                                   "http://a/" + std::string(3000, 'x')}) {
        try {
            parse_endpoint(bad);
            ADD_FAILURE() << bad;
        } catch (const error& thrown) {
            EXPECT_TRUE(thrown.sentence().starts_with("url ")) << thrown.sentence();
            EXPECT_EQ(thrown.sentence().find("secret"), std::string::npos) << thrown.sentence();
        }
    }
}

}  // namespace
}  // namespace leasebox::http
