// One event to one scripted server: what each way to answer, or not to, means for the event.
#include <atomic>

#include "sink_fixture.hpp"

namespace leasebox::http {
namespace {

using exchange_test = sink_fixture;

TEST_F(exchange_test, a_2xx_is_delivered) {
    for (const int status : {200, 201, 202, 204, 299}) {
        scripted_server server({always(answer_text(status, status == 204 ? "" : "ok"))});
        open(server.url());
        const delivery said = deliver();
        EXPECT_EQ(said.what.result, outcome::delivered) << status;
        EXPECT_EQ(said.what.http_status, status);
        EXPECT_EQ(said.what.reached, phase::answered);
        EXPECT_GT(said.what.bytes_written, 0);
    }
}

TEST_F(exchange_test, the_request_arrives_byte_for_byte) {
    std::string seen;
    scripted_server server({[&](peer& client) {
        seen = client.read_request();
        client.send(answer_text(200));
    }});
    open(server.url("/hook?a=b"));
    claimed_event sent = event(std::string("\x00\xff \r\n", 5));
    sent.headers = R"({"traceparent":"00-1","Host":"evil"})";
    deliver(sent);
    server.wait_for_script(0);
    EXPECT_TRUE(seen.starts_with("POST /hook?a=b HTTP/1.1\r\n")) << seen;
    EXPECT_TRUE(seen.ends_with(std::string("\r\n\r\n\x00\xff \r\n", 9))) << seen;
    EXPECT_NE(seen.find("\r\nhost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"),
              std::string::npos);
    EXPECT_NE(seen.find("\r\ntraceparent: 00-1\r\n"), std::string::npos);
    EXPECT_EQ(seen.find("evil"), std::string::npos);
}

TEST_F(exchange_test, an_error_keeps_its_status_its_wish_and_the_beginning_of_its_body) {
    scripted_server server({always(answer_text(503, "try later\x01", "retry-after: 3\r\n"))});
    open(server.url());
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.detail, "HTTP 503: try later ");
    EXPECT_EQ(said.retry_after, milliseconds{3000});
    EXPECT_TRUE(said.hold_destination);
}

TEST_F(exchange_test, a_redirect_is_not_followed) {
    scripted_server other({always(answer_text(200))});
    for (const int status : {301, 302, 303, 307, 308}) {
        scripted_server server(
            {always(answer_text(status, "", "location: " + other.url() + "\r\n"))});
        open(server.url());
        const delivery said = deliver();
        EXPECT_EQ(said.what.result, outcome::retry) << status;
        EXPECT_EQ(said.what.http_status, status);
    }
    EXPECT_EQ(other.connections(), 0);
}

TEST_F(exchange_test, nobody_listens) {
    std::uint16_t port = 0;
    { port = scripted_server({always("")}).port(); }
    open("http://127.0.0.1:" + std::to_string(port) + "/");
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.reached, phase::connecting);
    EXPECT_EQ(said.what.bytes_written, 0);
    EXPECT_NE(said.what.detail.find("could not connect"), std::string::npos) << said.what.detail;
}

TEST_F(exchange_test, a_close_before_the_answer_is_uncertain_and_not_sent_again) {
    scripted_server server({[](peer& client) { client.read_request(); }});
    open(server.url());
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::uncertain);
    EXPECT_EQ(said.what.reached, phase::written);
    EXPECT_EQ(said.what.detail, "the connection was closed without an answer");
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(exchange_test, a_reset_before_the_answer_is_uncertain) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.reset();
    }});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::uncertain);
}

TEST_F(exchange_test, a_reset_inside_the_head_is_uncertain) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\ncontent-le");
        client.reset();
    }});
    open(server.url());
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::uncertain);
    EXPECT_EQ(said.what.http_status, 0);
}

TEST_F(exchange_test, a_reset_after_the_head_is_delivered) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
        client.reset();
    }});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::delivered);
}

TEST_F(exchange_test, a_body_shorter_than_it_says_is_delivered_and_its_connection_not_kept) {
    const script short_body = [](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
    };
    scripted_server server({short_body});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(exchange_test, a_content_length_beyond_any_bound_counts_by_its_head) {
    for (const auto& [status, result] :
         {std::pair{200, outcome::delivered}, std::pair{503, outcome::retry}}) {
        scripted_server server({[status = status](peer& client) {
            client.read_request();
            client.send("HTTP/1.1 " + std::to_string(status) +
                        " X\r\ncontent-length: 99999999999\r\n\r\n");
            client.close();
        }});
        open(server.url());
        EXPECT_EQ(deliver().what.result, result) << status;
    }
}

TEST_F(exchange_test, an_endless_body_is_delivered_at_once_and_its_connection_closed) {
    std::atomic<bool> ended = false;
    scripted_server server({[&](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\n\r\n");
        client.read_to_end();  // until the sink closes, which is what is tested
        ended = true;
    }});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    server.wait_for_script(0);
    EXPECT_TRUE(ended);
}

TEST_F(exchange_test, a_chunked_body_above_the_bound_is_not_read_to_its_end) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        const std::string chunk = "10000\r\n" + std::string(65536, 'x') + "\r\n";
        for (int count = 0; count < 1000; ++count)
            client.send(chunk);
    }});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    server.wait_for_script(0);
}

TEST_F(exchange_test, a_head_above_the_bound_is_uncertain) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\n");
        const std::string line = "x: " + std::string(1000, 'x') + "\r\n";
        for (int count = 0; count < 100; ++count)
            client.send(line);
        client.read_to_end();
    }});
    open(server.url());
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::uncertain);
    EXPECT_EQ(said.what.detail, "the answer's head is longer than 64 KiB");
}

TEST_F(exchange_test, what_is_no_http_is_uncertain) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
        client.read_to_end();
    }});
    open(server.url());
    EXPECT_EQ(deliver().what.result, outcome::uncertain);
}

TEST_F(exchange_test, an_early_refusal_is_read_while_the_request_is_being_written) {
    for (const bool reset : {false, true}) {
        scripted_server server({[reset](peer& client) {
            client.read_head();
            client.send(answer_text(413, "too large"));
            if (reset) client.reset();
            if (!reset) client.read_to_end();
        }});
        open(server.url());
        const delivery said = deliver(event(std::string(8 * 1024 * 1024, 'x')));
        EXPECT_EQ(said.what.result, outcome::rejected) << reset;
        EXPECT_EQ(said.what.http_status, 413);
        EXPECT_LT(said.what.bytes_written, 8 * 1024 * 1024);
    }
}

TEST_F(exchange_test, a_large_request_is_written_completely) {
    const std::string payload(1024 * 1024, 'y');
    std::string seen;
    scripted_server server({[&](peer& client) {
        seen = client.read_request();
        client.send(answer_text(200));
    }});
    open(server.url());
    const delivery said = deliver(event(payload));
    server.wait_for_script(0);
    EXPECT_EQ(said.what.result, outcome::delivered);
    EXPECT_TRUE(seen.ends_with(payload));
    EXPECT_EQ(said.what.bytes_written, static_cast<std::int64_t>(seen.size()));
}

TEST_F(exchange_test, interim_answers_are_skipped) {
    scripted_server server({[](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
        client.send(answer_text(500));
        client.read_request();
        client.send(answer_text(200));
    }});
    open(server.url());
    EXPECT_EQ(deliver().what.http_status, 500);
    EXPECT_EQ(deliver().what.http_status, 200);
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(exchange_test, an_event_that_is_no_request_is_rejected_and_nothing_is_sent) {
    scripted_server server({always(answer_text(200))});
    open(server.url());
    claimed_event broken = event();
    broken.content_type = "a\r\nhost: evil";
    const delivery said = deliver(broken);
    EXPECT_EQ(said.what.result, outcome::rejected);
    EXPECT_EQ(said.what.reached, phase::not_started);
    EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace leasebox::http
