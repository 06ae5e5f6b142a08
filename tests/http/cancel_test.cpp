// Ended from outside in each phase: the delivery says how far it got.
#include <future>

#include "certificates.hpp"
#include "sink_fixture.hpp"

namespace leasebox::http {
namespace {

class cancel_test : public sink_fixture {
protected:
    // What the server has sent is in the socket, so that it takes no waiting.
    void read_what_came() {
        io_.restart();
        while (io_.poll() != 0)
            io_.restart();
    }

    // Runs until the server says that it got to where the attempt is to be ended.
    void run_until_reached() {
        run_until([this] {
            return reached_.future.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
        });
    }

    struct signal_once {
        std::promise<void> promise;
        std::future<void> future = promise.get_future();
        void set() { promise.set_value(); }
    };

    signal_once reached_;
    signal_once done_;
};

// A name that is never resolved while the test runs.
class hanging_lookup {
public:
    std::vector<boost::asio::ip::address> operator()(const std::string&) const {
        state_->asked.set_value();
        state_->released.get_future().wait();
        return {};
    }
    void wait_until_asked() const { state_->asked.get_future().wait(); }
    void release() const { state_->released.set_value(); }

private:
    struct state {
        std::promise<void> asked;
        std::promise<void> released;
    };
    std::shared_ptr<state> state_ = std::make_shared<state>();
};

TEST_F(cancel_test, a_deadline_while_resolving_is_retried) {
    const hanging_lookup hanging;
    open("http://a.example/", hanging);
    start();
    io_.poll();
    hanging.wait_until_asked();
    pass_deadline();
    const delivery said = finish();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.reached, phase::not_started);
    hanging.release();
}

TEST_F(cancel_test, a_stop_while_resolving_is_released) {
    const hanging_lookup hanging;
    open("http://a.example/", hanging);
    start();
    io_.poll();
    hanging.wait_until_asked();
    cancel();
    EXPECT_EQ(finish().what.result, outcome::released);
    hanging.release();
}

TEST_F(cancel_test, a_stop_at_the_start_is_released) {
    scripted_server server({always(answer_text(200))});
    open(server.url());
    start();
    signal_.emit(boost::asio::cancellation_type::terminal);
    const delivery said = finish();
    EXPECT_EQ(said.what.result, outcome::released);
    EXPECT_EQ(said.what.bytes_written, 0);
}

TEST_F(cancel_test, a_deadline_inside_the_tls_handshake_is_retried) {
    scripted_server server({[this](peer& client) {
        reached_.set();
        client.read_to_end();
    }});
    open("https://127.0.0.1:" + std::to_string(server.port()) + "/");
    start();
    run_until_reached();
    pass_deadline();
    const delivery said = finish();
    EXPECT_EQ(said.what.result, outcome::retry);
    EXPECT_EQ(said.what.reached, phase::connecting);
    EXPECT_EQ(said.what.detail, "the deadline passed while connecting");
    server.wait_for_script(0);
}

TEST_F(cancel_test, a_deadline_while_writing_is_uncertain) {
    scripted_server server({[this](peer& client) {
        client.read_head();
        reached_.set();
        done_.future.wait();
    }});
    open(server.url());
    start(event(std::string(64 * 1024 * 1024, 'x')));
    run_until_reached();
    pass_deadline();
    const delivery said = finish();
    EXPECT_EQ(said.what.result, outcome::uncertain);
    EXPECT_GT(said.what.bytes_written, 0);
    EXPECT_EQ(said.what.reached, phase::writing);
    done_.set();
}

TEST_F(cancel_test, a_deadline_while_waiting_for_the_answer_is_uncertain) {
    scripted_server server({[this](peer& client) {
        client.read_request();
        reached_.set();
        client.read_to_end();
    }});
    open(server.url());
    start();
    run_until_reached();
    pass_deadline();
    const delivery said = finish();
    EXPECT_EQ(said.what.result, outcome::uncertain);
    EXPECT_EQ(said.what.reached, phase::written);
    EXPECT_EQ(said.what.detail, "the deadline passed while waiting for the answer");
    server.wait_for_script(0);
}

TEST_F(cancel_test, a_stop_while_waiting_for_the_answer_is_uncertain) {
    scripted_server server({[this](peer& client) {
        client.read_request();
        reached_.set();
        client.read_to_end();
    }});
    open(server.url());
    start();
    run_until_reached();
    cancel();
    EXPECT_EQ(finish().what.result, outcome::uncertain);
    server.wait_for_script(0);
}

TEST_F(cancel_test, a_deadline_inside_the_head_is_uncertain) {
    scripted_server server({[this](peer& client) {
        client.read_request();
        client.send("HTTP/1.1 200 OK\r\ncontent-le");
        reached_.set();
        client.read_to_end();
    }});
    open(server.url());
    start();
    run_until_reached();
    read_what_came();
    pass_deadline();
    EXPECT_EQ(finish().what.result, outcome::uncertain);
}

TEST_F(cancel_test, a_deadline_inside_the_body_counts_by_the_head) {
    for (const auto& [status, result] :
         {std::pair{200, outcome::delivered}, std::pair{503, outcome::retry}}) {
        reached_ = signal_once();
        scripted_server server({[this, status = status](peer& client) {
            client.read_request();
            client.send("HTTP/1.1 " + std::to_string(status) +
                        " X\r\ncontent-length: 100\r\n\r\npart");
            reached_.set();
            client.read_to_end();
        }});
        open(server.url());
        start();
        run_until_reached();
        read_what_came();
        pass_deadline();
        const delivery said = finish();
        EXPECT_EQ(said.what.result, result);
        EXPECT_EQ(said.what.http_status, status);
        server.wait_for_script(0);
    }
}

TEST_F(cancel_test, a_tls_attempt_ends_while_waiting_for_the_answer) {
    const leasebox::testing::authority trusted;
    leasebox::testing::certificate_text text;
    text.alternative_names = "IP:127.0.0.1";
    const auto tls = trusted.issue(text);
    scripted_server server({[this](peer& client) {
                               client.read_request();
                               reached_.set();
                               client.read_to_end();
                           }},
                           tls.get());
    destination_options options;
    options.url = server.url();
    options.ca_file = trusted.file();
    open(options);
    start();
    run_until_reached();
    pass_deadline();
    EXPECT_EQ(finish().what.result, outcome::uncertain);
    server.wait_for_script(0);
}

TEST_F(cancel_test, a_context_that_ends_with_a_send_in_flight_ends_it) {
    scripted_server server({[this](peer& client) {
        client.read_request();
        reached_.set();
        client.read_to_end();
    }});
    open(server.url());
    {
        boost::asio::io_context short_lived;
        event_ = event();
        boost::asio::co_spawn(boost::asio::make_strand(short_lived),
                              sink_->deliver(event_, clock_.now() + attempt_timeout),
                              [](std::exception_ptr, delivery) { FAIL() << "it never ends"; });
        run_until([&] {
            short_lived.poll();
            return reached_.future.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
        });
    }
    server.wait_for_script(0);
}

}  // namespace
}  // namespace leasebox::http
