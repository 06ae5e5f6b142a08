// Which addresses are dialled, and what happens when some of them are dead.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "leasebox/core/error.hpp"
#include "sink_fixture.hpp"

namespace leasebox::http {
namespace {

using boost::asio::ip::make_address;

// A listener whose queue is full, so that what is sent to it is dropped: a dead address.
class dead_address {
public:
    dead_address(const char* address, std::uint16_t port) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        ::inet_pton(AF_INET, address, &at.sin_addr);
        const auto* const where = reinterpret_cast<const sockaddr*>(&at);
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        const int on = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        good_ = ::bind(listener_, where, sizeof at) == 0 && ::listen(listener_, 0) == 0;
        for (int& filler : fillers_) {
            filler = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            ::connect(filler, where, sizeof at);
        }
    }
    ~dead_address() {
        for (const int filler : fillers_)
            ::close(filler);
        ::close(listener_);
    }
    dead_address(const dead_address&) = delete;
    dead_address& operator=(const dead_address&) = delete;

    bool good() const { return good_; }

private:
    int listener_ = -1;
    bool good_ = false;
    int fillers_[4] = {-1, -1, -1, -1};
};

name_lookup answering(std::initializer_list<const char*> addresses) {
    std::vector<boost::asio::ip::address> all;
    for (const char* one : addresses)
        all.push_back(make_address(one));
    return [all](const std::string&) { return all; };
}

class address_test : public sink_fixture {
protected:
    static std::string url_at(const std::string& host, const scripted_server& server) {
        return "http://" + host + ":" + std::to_string(server.port()) + "/hook";
    }

    delivery deliver_guarded(const std::string& url, name_lookup lookup = {}) {
        destination_options options;
        options.url = url;
        open_guarded(options, std::move(lookup));
        return deliver();
    }
};

TEST_F(address_test, the_next_address_is_tried_where_one_refuses) {
    scripted_server server({always(answer_text(200))});
    open(url_at("a.example", server), answering({"127.0.0.3", "127.0.0.4", "127.0.0.1"}));
    EXPECT_EQ(deliver().what.result, outcome::delivered);
}

TEST_F(address_test, the_next_address_is_tried_beside_one_that_is_dead) {
    scripted_server server({always(answer_text(200))});
    const dead_address dead("127.0.0.2", server.port());
    ASSERT_TRUE(dead.good());
    open(url_at("a.example", server), answering({"127.0.0.2", "127.0.0.1"}));
    start();
    run_until([this] { return clock_.armed(); });
    EXPECT_FALSE(said_);
    clock_.advance(std::chrono::milliseconds{250});
    EXPECT_EQ(finish().what.result, outcome::delivered);
}

TEST_F(address_test, a_deadline_while_connecting_is_retried) {
    scripted_server server({always(answer_text(200))});
    const dead_address dead("127.0.0.2", server.port());
    ASSERT_TRUE(dead.good());
    open(url_at("127.0.0.2", server));
    start();
    while (io_.run_one_for(std::chrono::milliseconds{20}) != 0) {
    }
    pass_deadline();
    const delivery said = finish();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.detail, "the deadline passed while connecting");
}

TEST_F(address_test, a_name_that_is_not_found_is_retried) {
    open("http://a.example/", [](const std::string&) -> std::vector<boost::asio::ip::address> {
        throw boost::system::system_error(boost::asio::error::host_not_found);
    });
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_TRUE(said.what.detail.starts_with("could not resolve a.example: "));
}

TEST_F(address_test, loopback_is_refused_in_every_spelling) {
    scripted_server server({always(answer_text(200))});
    for (const char* host : {"127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1",
                             "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "localhost"}) {
        const delivery said = deliver_guarded(url_at(host, server));
        EXPECT_EQ(said.what.result, outcome::retry) << host;
        EXPECT_EQ(said.what.reached, phase::not_started) << host;
        EXPECT_NE(said.what.detail.find("is refused: loopback"), std::string::npos)
            << host << ": " << said.what.detail;
    }
    EXPECT_EQ(server.connections(), 0);
}

TEST_F(address_test, a_name_that_resolves_to_a_private_address_is_refused) {
    const delivery said = deliver_guarded("http://localtest.example/", answering({"10.0.0.1"}));
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.detail, "the address 10.0.0.1 is refused: private (see allow_private)");
}

TEST_F(address_test, allow_loopback_does_not_allow_private) {
    open("http://localtest.example/", answering({"10.0.0.1"}));
    EXPECT_EQ(deliver().what.reached, phase::not_started);
}

TEST_F(address_test, of_several_addresses_only_the_allowed_ones_are_dialled) {
    scripted_server server({always(answer_text(200))});
    open(url_at("a.example", server), answering({"10.0.0.1", "169.254.169.254", "127.0.0.1"}));
    EXPECT_EQ(deliver().what.result, outcome::delivered);
}

TEST_F(address_test, a_name_is_judged_again_when_it_is_resolved_again) {
    scripted_server server({always(answer_text(200, "", "connection: close\r\n"))});
    auto moved = std::make_shared<std::atomic<bool>>(false);
    open(url_at("a.example", server), [moved](const std::string&) {
        return std::vector{make_address(*moved ? "10.0.0.1" : "127.0.0.1")};
    });
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    *moved = true;
    clock_.advance(std::chrono::seconds{31});
    EXPECT_EQ(deliver().what.reached, phase::not_started);
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(address_test, an_ipv6_literal_is_reached_with_its_brackets_in_host) {
    std::string seen;
    std::unique_ptr<scripted_server> server;
    try {
        server = std::make_unique<scripted_server>(std::vector<script>{[&](peer& client) {
                                                       seen = client.read_request();
                                                       client.send(answer_text(200));
                                                   }},
                                                   nullptr, "::1");
    } catch (const std::runtime_error&) {
        GTEST_SKIP() << "this host has no IPv6";
    }
    open(url_at("[::1]", *server));
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    server->wait_for_script(0);
    EXPECT_NE(seen.find("\r\nhost: [::1]:" + std::to_string(server->port()) + "\r\n"),
              std::string::npos);
}

TEST_F(address_test, without_file_descriptors_the_attempt_is_given_back) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer's own check of virtual tables needs a file descriptor";
#endif
    scripted_server server({always(answer_text(200, "", "connection: close\r\n"))});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit none = before;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
    const delivery said = deliver();
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(said.what.result, outcome::released) << said.what.detail;
    EXPECT_EQ(said.what.bytes_written, 0);
    EXPECT_EQ(deliver().what.result, outcome::delivered);
}

TEST(options, a_field_outside_of_its_range_is_named) {
    manual_clock clock;
    const auto shared = std::make_shared<context>(clock);
    const auto refused = [&](auto change) {
        destination_options options;
        options.url = "http://a.example/";
        change(options);
        try {
            make_sink(shared, options);
        } catch (const error& thrown) {
            EXPECT_EQ(thrown.code(), errc::invalid_option);
            return thrown.sentence().substr(0, thrown.sentence().find_first_of(" ["));
        }
        return std::string("accepted");
    };
    using options = destination_options;
    EXPECT_EQ(refused([](options&) {}), "accepted");
    EXPECT_EQ(refused([](options& o) { o.url = "ftp://a/"; }), "url");
    EXPECT_EQ(refused([](options& o) { o.secrets = {"whsec_short"}; }), "secrets");
    EXPECT_EQ(refused([](options& o) { o.secrets.assign(9, "x"); }), "secrets");
    EXPECT_EQ(refused([](options& o) { o.reject_statuses = {400, 299}; }), "reject_statuses");
    EXPECT_EQ(refused([](options& o) { o.reject_statuses = {600}; }), "reject_statuses");
    EXPECT_EQ(refused([](options& o) { o.connections_idle_max = 0; }), "connections_idle_max");
    EXPECT_EQ(refused([](options& o) { o.connections_idle_max = 1001; }), "connections_idle_max");
    EXPECT_EQ(refused([](options& o) { o.idle_max = milliseconds{0}; }), "idle_max");
    EXPECT_EQ(refused([](options& o) { o.idle_max = std::chrono::hours{2}; }), "idle_max");
    EXPECT_EQ(refused([](options& o) { o.connection_age_max = milliseconds{-1}; }),
              "connection_age_max");
}

}  // namespace
}  // namespace leasebox::http
