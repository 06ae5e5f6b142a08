// Keep-alive: when a connection is used again, and when it must not be.
#include "sink_fixture.hpp"

namespace leasebox::http {
namespace {

class reuse_test : public sink_fixture {
protected:
    // All of them at once, so that each needs a connection of its own.
    void deliver_together(int count) {
        const claimed_event one = event();
        int delivered = 0;
        for (int at = 0; at < count; ++at) {
            boost::asio::co_spawn(strand_, sink_->deliver(one, clock_.now() + attempt_timeout),
                                  [&](std::exception_ptr, const delivery& said) {
                                      EXPECT_EQ(said.what.result, outcome::delivered);
                                      ++delivered;
                                  });
        }
        run_until([&] { return delivered == count; });
    }
};

// Answers one request and ends, so that the server closes an idle connection.
void answer_once(peer& client) {
    client.read_request();
    client.send(answer_text(200));
}

// Answers one request, reads the next one and closes without a byte.
void close_on_reuse(peer& client) {
    answer_once(client);
    client.read_request();
}

TEST_F(reuse_test, a_connection_is_used_again) {
    scripted_server server({always(answer_text(200, "ok"))});
    open(server.url());
    for (int count = 0; count < 20; ++count) {
        EXPECT_EQ(deliver().what.result, outcome::delivered);
    }
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(reuse_test, each_answer_on_a_kept_connection_is_its_own) {
    scripted_server server({[](peer& client) {
        for (const int status : {200, 204, 304, 500, 201}) {
            client.read_request();
            client.send(answer_text(status, status == 204 || status == 304 ? "" : "body"));
        }
    }});
    open(server.url());
    for (const int status : {200, 204, 304, 500, 201}) {
        EXPECT_EQ(deliver().what.http_status, status);
    }
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(reuse_test, a_connection_closed_while_idle_is_noticed_before_anything_is_written) {
    scripted_server server({answer_once, always(answer_text(200))});
    destination_options options;
    options.url = server.url();
    options.resend_stale = false;
    open(options);
    deliver();
    server.wait_for_script(0);
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(reuse_test, a_reused_connection_that_was_closed_is_replaced_once) {
    scripted_server server({close_on_reuse, always(answer_text(200))});
    open(server.url());
    deliver();
    EXPECT_EQ(deliver().what.result, outcome::delivered);
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(reuse_test, a_reused_connection_that_was_reset_is_replaced_once) {
    scripted_server server({[](peer& client) {
                                close_on_reuse(client);
                                client.reset();
                            },
                            [](peer& client) { client.read_request(); }});
    open(server.url());
    deliver();
    EXPECT_EQ(deliver().what.result, outcome::uncertain);
    EXPECT_EQ(server.connections(), 2) << "the fresh connection is not replaced";
}

TEST_F(reuse_test, without_resend_a_closed_reused_connection_is_uncertain) {
    scripted_server server({close_on_reuse, always(answer_text(200))});
    destination_options options;
    options.url = server.url();
    options.resend_stale = false;
    open(options);
    deliver();
    EXPECT_EQ(deliver().what.result, outcome::uncertain);
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(reuse_test, a_resend_that_cannot_connect_stays_uncertain) {
    scripted_server* gone = nullptr;
    scripted_server server({[&](peer& client) {
        close_on_reuse(client);
        gone->stop_listening();
    }});
    gone = &server;
    open(server.url());
    deliver();
    const delivery said = deliver();
    EXPECT_EQ(said.what.result, outcome::uncertain);
    EXPECT_EQ(said.what.reached, phase::written);
    EXPECT_NE(said.what.detail.find("could not connect"), std::string::npos) << said.what.detail;
}

TEST_F(reuse_test, a_part_of_an_answer_forbids_the_resend) {
    scripted_server server({[](peer& client) {
                                close_on_reuse(client);
                                client.send("H");
                            },
                            always(answer_text(200))});
    open(server.url());
    deliver();
    EXPECT_EQ(deliver().what.result, outcome::uncertain);
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(reuse_test, an_idle_connection_that_is_too_old_is_not_used) {
    scripted_server server({always(answer_text(200))});
    open(server.url());
    deliver();
    clock_.advance(std::chrono::seconds{5});
    deliver();
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(reuse_test, a_connection_in_steady_use_ends_at_its_age) {
    scripted_server server({always(answer_text(200))});
    destination_options options;
    options.url = server.url();
    options.connection_age_max = std::chrono::seconds{5};
    open(options);
    for (int count = 0; count < 4; ++count) {
        deliver();
        clock_.advance(std::chrono::seconds{2});
    }
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(reuse_test, as_many_are_kept_as_the_bound_says) {
    for (const auto& [bound, connections] : {std::pair{8, 5}, std::pair{2, 8}}) {
        scripted_server server({always(answer_text(200))});
        destination_options options;
        options.url = server.url();
        options.connections_idle_max = bound;
        open(options);
        deliver_together(5);
        deliver_together(5);
        EXPECT_EQ(server.connections(), connections) << bound;
    }
}

TEST_F(reuse_test, close_and_old_versions_end_the_connection) {
    for (const char* answer :
         {"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
          "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"}) {
        scripted_server server({always(answer)});
        open(server.url());
        EXPECT_EQ(deliver().what.result, outcome::delivered) << answer;
        EXPECT_EQ(deliver().what.result, outcome::delivered) << answer;
        EXPECT_EQ(server.connections(), 2) << answer;
    }
}

TEST_F(reuse_test, bytes_behind_an_answer_are_nobodys_answer) {
    const std::string smuggled = answer_text(200) + "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    scripted_server server({always(smuggled), always(answer_text(500))});
    open(server.url());
    EXPECT_EQ(deliver().what.http_status, 200);
    EXPECT_EQ(deliver().what.http_status, 500);
}

TEST_F(reuse_test, bytes_that_come_while_idle_are_nobodys_answer) {
    scripted_server server({[](peer& client) {
                                answer_once(client);
                                client.send(answer_text(200));
                            },
                            always(answer_text(500))});
    open(server.url());
    EXPECT_EQ(deliver().what.http_status, 200);
    server.wait_for_script(0);
    EXPECT_EQ(deliver().what.http_status, 500);
}

TEST_F(reuse_test, a_closed_sink_keeps_nothing) {
    scripted_server server({[](peer& client) {
        answer_once(client);
        client.read_to_end();
    }});
    open(server.url());
    deliver();
    sink_->close();
    server.wait_for_script(0);
}

}  // namespace
}  // namespace leasebox::http
