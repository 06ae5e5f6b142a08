#include "http/request.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace leasebox::http {
namespace {

constexpr store_time now = from_ms(1'614'265'330'999);

claimed_event make_event() {
    claimed_event made;
    made.key = claim_key("msg_p5jXN8AQM9LWM0D4loKWxJek", "me", 42);
    made.attempt = 3;
    made.content_type = "application/json";
    made.headers = "{}";
    made.payload = R"({"test": 2432232314})";
    return made;
}

std::string written(const claimed_event& event, const std::vector<std::string>& secrets = {}) {
    return write_request(parse_endpoint("http://a.example/hook?x=1"), signer(secrets), event, now);
}

std::string with_headers(const std::string& headers) {
    claimed_event event = make_event();
    event.headers = headers;
    return written(event);
}

TEST(request, every_header_of_the_contract) {
    claimed_event event = make_event();
    event.lane = "order-1";
    event.lane_seq = 5;
    event.lane_gap = "3-4";
    event.headers = R"({"traceparent":"00-ab"})";
    EXPECT_EQ(written(event, {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}),
              "POST /hook?x=1 HTTP/1.1\r\n"
              "host: a.example\r\n"
              "user-agent: Leasebox/0.1\r\n"
              "content-type: application/json\r\n"
              "content-length: 20\r\n"
              "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek\r\n"
              "idempotency-key: msg_p5jXN8AQM9LWM0D4loKWxJek\r\n"
              "leasebox-generation: 42\r\n"
              "leasebox-attempt: 3\r\n"
              "leasebox-key: order-1\r\n"
              "leasebox-lane-seq: 5\r\n"
              "leasebox-lane-gap: 3-4\r\n"
              "webhook-timestamp: 1614265330\r\n"
              "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\r\n"
              "traceparent: 00-ab\r\n"
              "\r\n"
              "{\"test\": 2432232314}");
}

TEST(request, without_a_key_or_a_secret_their_headers_are_left_out) {
    const std::string text = written(make_event());
    EXPECT_EQ(text.find("leasebox-key"), std::string::npos);
    EXPECT_EQ(text.find("lane-seq"), std::string::npos);
    EXPECT_EQ(text.find("webhook-signature"), std::string::npos);
    EXPECT_NE(text.find("webhook-timestamp"), std::string::npos);
}

TEST(request, a_key_is_percent_encoded_where_it_could_not_be_read_back) {
    for (const auto& [key, value] : std::initializer_list<std::pair<std::string, const char*>>{
             {"plain key", "plain key"},
             {" edges ", "%20edges%20"},
             {"50%", "50%25"},
             {"\xC3\xA9", "%C3%A9"},
             {"a\r\nx: y", "a%0D%0Ax: y"},
             {std::string("\0\x7f", 2), "%00%7F"}}) {
        claimed_event event = make_event();
        event.lane = key;
        EXPECT_NE(written(event).find("\r\nleasebox-key: " + std::string(value) + "\r\n"),
                  std::string::npos)
            << value;
    }
}

TEST(request, headers_of_the_event_never_replace_ours) {
    for (const char* name :
         {"Host", "CONTENT-LENGTH", "Content-Type", "transfer-encoding", "Transfer-Encoding",
          "Connection", "Keep-Alive", "Proxy-Connection", "Upgrade", "TE", "Trailer", "Expect",
          "User-Agent", "Webhook-Id", "webhook-signature", "WEBHOOK-TIMESTAMP", "Idempotency-Key",
          "Leasebox-Generation", "leasebox-anything"}) {
        EXPECT_EQ(with_headers(std::string("{\"") + name + "\":\"evil\"}").find("evil"),
                  std::string::npos)
            << name;
    }
}

TEST(request, what_would_break_a_line_is_never_written) {
    for (const char* headers :
         {R"({"x":"evil\r\nhost: a"})", R"({"x":"evil\n"})", R"({"x":"evil\u0000"})",
          R"({"x":"evil\u007f"})", R"({"x\r\n":"evil"})", R"({"x y":"evil"})", R"({"":"evil"})",
          R"({"x:":"evil"})", R"({"é":"evil"})", R"({"x":["evil"]})", R"(["evil"])",
          R"({"x":"evil")", ""}) {
        const std::string text = with_headers(headers);
        EXPECT_EQ(text.find("evil"), std::string::npos) << headers;
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11) << headers;
    }
}

TEST(request, other_headers_are_sent_once_each) {
    const std::string text = with_headers(R"({"X-A":"1","x-a":"2","x-tab":"a\tb","x-utf8":"é"})");
    EXPECT_EQ(text.find("X-A"), std::string::npos);
    EXPECT_NE(text.find("\r\nx-a: 2\r\n"), std::string::npos);
    EXPECT_NE(text.find("\r\nx-tab: a\tb\r\n"), std::string::npos);
    EXPECT_NE(text.find("\r\nx-utf8: é\r\n"), std::string::npos);
}

TEST(request, an_event_that_would_break_our_own_headers_is_unsendable) {
    EXPECT_FALSE(unsendable(make_event()));
    for (const char* bad : {"", "a b", "a\r\nb", "\xC3\xA9", "\x7f"}) {
        claimed_event event = make_event();
        event.key.id = bad;
        EXPECT_TRUE(unsendable(event)) << bad;
    }
    for (const std::string& bad : {std::string("a\r\nb"), std::string("\0", 1)}) {
        claimed_event event = make_event();
        event.content_type = bad;
        EXPECT_TRUE(unsendable(event)) << bad;
    }
}

TEST(request, an_empty_body_has_a_length) {
    claimed_event event = make_event();
    event.payload.clear();
    const std::string text = written(event);
    EXPECT_NE(text.find("\r\ncontent-length: 0\r\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace leasebox::http
