#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <future>
#include <set>

#include "leasebox/leasebox.hpp"
#include "support/scripted_server.hpp"
#include "support/temp_dir.hpp"

namespace leasebox {
namespace {

using namespace std::chrono_literals;
using leasebox::testing::answer_text;
using leasebox::testing::peer;
using leasebox::testing::scripted_server;

// Answers 200 to everything and keeps the requests.
class polite_consumer {
public:
    polite_consumer()
        : server_({[this](peer& client) {
              for (std::string request = client.read_request(); !request.empty();
                   request = client.read_request()) {
                  {
                      const std::lock_guard lock(mutex_);
                      requests_.push_back(request);
                  }
                  client.send(answer_text(200));
              }
          }}) {}

    std::uint16_t port() const { return server_.port(); }
    std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    scripted_server server_;
};

struct whole : ::testing::Test {
    std::string path() const { return dir.file("app.db"); }
    std::string url(const std::string& host) const {
        return "http://" + host + ":" + std::to_string(consumer.port()) + "/hook";
    }
    void append(const std::string& destination, const std::string& payload = "{}") {
        SQLite::Database database(path(), SQLite::OPEN_READWRITE, 5000);
        sqlite::append(database, {destination, payload});
    }

    testing::temp_dir dir;
    polite_consumer consumer;
    boost::asio::io_context context;
};

TEST_F(whole, an_event_travels_from_the_applications_transaction_to_the_consumer) {
    std::shared_ptr<store> events = sqlite::open(path());
    append("billing", R"({"item":"kettle"})");
    dispatcher_options options;
    options.until_idle = true;
    dispatcher worker(context.get_executor(), events, options);
    http::destination_options wire;
    wire.url = url("127.0.0.1");
    wire.allow_loopback = true;
    worker.serve("billing", http::make_sink(std::make_shared<http::context>(system_clock()), wire));
    worker.async_run([](boost::system::error_code ec) { EXPECT_FALSE(ec); });
    context.run();
    const auto requests = consumer.requests();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_NE(requests[0].find("POST /hook HTTP/1.1\r\n"), std::string::npos);
    EXPECT_NE(requests[0].find(R"({"item":"kettle"})"), std::string::npos);
    EXPECT_NE(requests[0].find("leasebox-attempt: 1\r\n"), std::string::npos);
    EXPECT_EQ(events->list({}).at(0).row.at, state::delivered);
}

TEST_F(whole, a_name_whose_resolution_hangs_does_not_keep_a_hundred_others_waiting) {
    std::shared_ptr<store> events = sqlite::open(path());
    std::promise<void> release;
    std::shared_future<void> released = release.get_future().share();
    auto lookup = [released](const std::string& name) {
        if (name == "hangs.example") released.wait();
        return std::vector{boost::asio::ip::make_address("127.0.0.1")};
    };
    auto shared = std::make_shared<http::context>(system_clock(), lookup);
    dispatcher worker(context.get_executor(), events, {});
    const auto serve = [&](const std::string& name, const std::string& host) {
        http::destination_options wire;
        wire.url = url(host);
        wire.allow_loopback = true;
        worker.serve(name, http::make_sink(shared, wire));
    };
    for (int at = 0; at < 20; ++at) append("hangs");
    serve("hangs", "hangs.example");
    for (int at = 0; at < 100; ++at) {
        const std::string name = "d" + std::to_string(at);
        append(name);
        serve(name, name + ".example");
    }
    worker.async_run([](boost::system::error_code) {});
    while (consumer.requests().size() < 100) context.run_one();
    worker.stop(stop_kind::hard);
    context.run();
    const auto stats = events->stats().destinations;
    EXPECT_EQ(stats.at("hangs").events.at(state::delivered), 0);
    EXPECT_EQ(stats.at("hangs").events.at(state::claimed), 0);
    release.set_value();
}

}  // namespace
}  // namespace leasebox
