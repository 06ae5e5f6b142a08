// TLS: who is trusted, under which name, and what an abrupt end means.
#include <atomic>

#include "certificates.hpp"
#include "leasebox/core/error.hpp"
#include "sink_fixture.hpp"

namespace leasebox::http {
namespace {

using leasebox::testing::authority;
using leasebox::testing::certificate_text;
using leasebox::testing::self_signed;

std::vector<boost::asio::ip::address> loopback(const std::string&) {
    return {boost::asio::ip::make_address("127.0.0.1")};
}

class tls_test : public sink_fixture {
protected:
    // The server is at 127.0.0.1, whatever the host of the URL.
    void open_at(const scripted_server& server, const std::string& host) {
        destination_options options;
        options.url = "https://" + host + ":" + std::to_string(server.port()) + "/hook";
        options.ca_file = trusted_.file();
        open(options, &loopback);
    }

    delivery deliver_to(const std::shared_ptr<SSL_CTX>& tls, const std::string& host) {
        requests_ = 0;
        const script counting = [this](peer& client) {
            while (!client.read_request().empty()) {
                ++requests_;
                client.send(answer_text(200));
            }
        };
        scripted_server server({counting}, tls.get());
        open_at(server, host);
        const delivery said = deliver();
        sink_->close();
        return said;
    }

    static certificate_text named(const std::string& alternative_names) {
        certificate_text text;
        text.alternative_names = alternative_names;
        return text;
    }

    authority trusted_;
    std::atomic<int> requests_ = 0;
};

TEST_F(tls_test, a_trusted_certificate_for_the_name_is_delivered_to) {
    for (const auto& [names, host] : std::initializer_list<std::pair<const char*, const char*>>{
             {"DNS:a.example", "a.example"},
             {"DNS:a.example", "A.EXAMPLE"},
             {"DNS:a.example", "a.example."},
             {"DNS:*.example.org", "a.example.org"},
             {"DNS:b.example,DNS:a.example", "a.example"},
             {"IP:127.0.0.1", "127.0.0.1"}}) {
        const delivery said = deliver_to(trusted_.issue(named(names)), host);
        EXPECT_EQ(said.what.result, outcome::delivered) << host << ": " << said.what.detail;
    }
}

TEST_F(tls_test, a_certificate_for_another_name_gets_no_byte_of_the_request) {
    for (const auto& [names, host] : std::initializer_list<std::pair<const char*, const char*>>{
             {"DNS:b.example", "a.example"},
             {"DNS:*.example.org", "a.b.example.org"},
             {"DNS:*.example.org", "example.org"},
             {"DNS:a*.example.org", "ab.example.org"},
             {"DNS:127.0.0.1", "127.0.0.1"},
             {"IP:127.0.0.2", "127.0.0.1"},
             {"", "a.example"}}) {
        const delivery said = deliver_to(trusted_.issue(named(names)), host);
        EXPECT_EQ(said.what.result, outcome::retry) << host;
        EXPECT_EQ(said.what.reached, phase::connecting);
        EXPECT_EQ(said.what.bytes_written, 0);
        EXPECT_NE(said.what.detail.find("mismatch"), std::string::npos) << said.what.detail;
        EXPECT_EQ(requests_, 0);
    }
}

TEST_F(tls_test, a_common_name_is_no_name) {
    certificate_text text;
    text.common_name = "a.example";
    EXPECT_EQ(deliver_to(trusted_.issue(text), "a.example").what.result, outcome::retry);
}

TEST_F(tls_test, a_certificate_of_nobody_is_refused) {
    const delivery said = deliver_to(self_signed(named("DNS:a.example")), "a.example");
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.detail, "the certificate is refused: self-signed certificate");
    EXPECT_EQ(requests_, 0);
}

TEST_F(tls_test, a_certificate_of_another_authority_is_refused) {
    const authority other;
    const delivery said = deliver_to(other.issue(named("DNS:a.example")), "a.example");
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(requests_, 0);
}

TEST_F(tls_test, a_certificate_outside_of_its_time_is_refused) {
    certificate_text text = named("DNS:a.example");
    text.ends_s = -60;
    EXPECT_EQ(deliver_to(trusted_.issue(text), "a.example").what.detail,
              "the certificate is refused: certificate has expired");
    text.starts_s = 600;
    text.ends_s = 1200;
    EXPECT_EQ(deliver_to(trusted_.issue(text), "a.example").what.detail,
              "the certificate is refused: certificate is not yet valid");
}

TEST_F(tls_test, the_name_is_asked_for_and_an_address_is_not) {
    for (const auto& [host, asked] : std::initializer_list<std::pair<const char*, const char*>>{
             {"a.example", "a.example"}, {"a.example.", "a.example"}, {"127.0.0.1", ""}}) {
        std::string seen = "nothing";
        const auto tls = trusted_.issue(named("DNS:a.example,IP:127.0.0.1"));
        scripted_server server({[&](peer& client) {
                                   seen = client.server_name();
                                   client.read_request();
                                   client.send(answer_text(200));
                               }},
                               tls.get());
        open_at(server, host);
        EXPECT_EQ(deliver().what.result, outcome::delivered) << host;
        server.wait_for_script(0);
        EXPECT_EQ(seen, asked);
    }
}

TEST_F(tls_test, a_connection_is_used_again) {
    const auto tls = trusted_.issue(named("DNS:a.example"));
    scripted_server server({always(answer_text(200, "ok"))}, tls.get());
    open_at(server, "a.example");
    for (int count = 0; count < 10; ++count) {
        EXPECT_EQ(deliver(event(std::string(100'000, 'x'))).what.result, outcome::delivered);
    }
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(tls_test, an_end_without_close_notify_counts_by_how_far_the_answer_got) {
    for (const auto& [answer, result] : std::initializer_list<std::pair<const char*, outcome>>{
             {"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", outcome::delivered},
             {"HTTP/1.1 200 OK\r\n\r\nuntil the end", outcome::delivered},
             {"HTTP/1.1 500 OK\r\n\r\nuntil the end", outcome::retry},
             {"HTTP/1.1 200 OK\r\ncontent-le", outcome::uncertain},
             {"", outcome::uncertain}}) {
        const auto tls = trusted_.issue(named("DNS:a.example"));
        scripted_server server({[answer = answer](peer& client) {
                                   client.read_request();
                                   client.send(answer);
                               }},
                               tls.get());
        open_at(server, "a.example");
        const delivery said = deliver();
        EXPECT_EQ(said.what.result, result) << answer << ": " << said.what.detail;
    }
}

TEST_F(tls_test, a_reused_connection_that_was_closed_is_replaced_once) {
    const auto tls = trusted_.issue(named("DNS:a.example"));
    scripted_server server({[](peer& client) {
                                client.read_request();
                                client.send(answer_text(200));
                                client.read_request();
                            },
                            always(answer_text(200))},
                           tls.get());
    open_at(server, "a.example");
    deliver();
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(tls_test, an_early_refusal_is_read_while_the_request_is_being_written) {
    const auto tls = trusted_.issue(named("DNS:a.example"));
    scripted_server server({[](peer& client) {
                               client.read_head();
                               client.send(answer_text(413, "too large"));
                               client.reset();
                           }},
                           tls.get());
    open_at(server, "a.example");
    const delivery said = deliver(event(std::string(8 * 1024 * 1024, 'x')));
    EXPECT_EQ(said.what.http_status, 413) << said.what.detail;
    EXPECT_EQ(said.what.result, outcome::rejected);
}

TEST_F(tls_test, a_server_that_speaks_no_tls_is_retried) {
    scripted_server server({[](peer& client) {
        client.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        client.read_to_end();
    }});
    open_at(server, "a.example");
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_TRUE(said.what.detail.starts_with("TLS failed: ")) << said.what.detail;
}

TEST_F(tls_test, the_systems_authorities_do_not_trust_ours) {
    const auto tls = trusted_.issue(named("IP:127.0.0.1"));
    scripted_server server({always(answer_text(200))}, tls.get());
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::retry);
}

TEST_F(tls_test, a_ca_file_that_can_not_be_read_is_refused) {
    destination_options options;
    options.url = "https://a.example/";
    options.ca_file = "/nonexistent/ca.pem";
    try {
        open(options);
        FAIL();
    } catch (const error& refused) {
        EXPECT_TRUE(refused.sentence().starts_with("ca_file ")) << refused.sentence();
    }
}

}  // namespace
}  // namespace leasebox::http
