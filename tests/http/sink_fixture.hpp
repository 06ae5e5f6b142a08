// Runs one sink against a scripted server, and ends attempts from outside.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <optional>

#include "leasebox/http/sink.hpp"
#include "manual_clock.hpp"
#include "support/scripted_server.hpp"

namespace leasebox::http {

using leasebox::testing::always;
using leasebox::testing::answer_text;
using leasebox::testing::peer;
using leasebox::testing::script;
using leasebox::testing::scripted_server;

class sink_fixture : public ::testing::Test {
protected:
    static constexpr milliseconds attempt_timeout = std::chrono::seconds{20};

    ~sink_fixture() override {
        if (sink_) sink_->close();
        io_.restart();
        io_.poll();
    }

    static claimed_event event(std::string payload = "{}") {
        claimed_event made;
        made.key = claim_key("event-1", "tester", 7);
        made.attempt = 2;
        made.content_type = "application/json";
        made.headers = "{}";
        made.payload = std::move(payload);
        return made;
    }

    void open(destination_options options, name_lookup lookup = {}) {
        options.allow_loopback = true;
        open_guarded(std::move(options), std::move(lookup));
    }

    void open_guarded(destination_options options, name_lookup lookup = {}) {
        context_ = std::make_shared<context>(clock_, std::move(lookup));
        sink_ = make_sink(context_, std::move(options));
    }

    void open(const std::string& url, name_lookup lookup = {}) {
        destination_options options;
        options.url = url;
        open(std::move(options), std::move(lookup));
    }

    void start(claimed_event what = event()) {
        event_ = std::move(what);
        said_.reset();
        auto ended = [this](std::exception_ptr failed, delivery said) {
            EXPECT_FALSE(failed) << "deliver() threw";
            said_ = std::move(said);
        };
        boost::asio::co_spawn(strand_, sink_->deliver(event_, clock_.now() + attempt_timeout),
                              boost::asio::bind_cancellation_slot(signal_.slot(), ended));
    }

    template <class Condition>
    void run_until(Condition condition) {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (!condition()) {
            ASSERT_LT(std::chrono::steady_clock::now(), patience) << "it did not come to it";
            io_.restart();
            io_.run_one_for(std::chrono::milliseconds{5});
        }
    }

    delivery finish() {
        run_until([this] { return said_.has_value(); });
        return said_.value_or(delivery());
    }

    delivery deliver(claimed_event what = event()) {
        start(std::move(what));
        return finish();
    }

    void cancel() {
        boost::asio::post(strand_,
                          [this] { signal_.emit(boost::asio::cancellation_type::terminal); });
    }

    /// The dispatcher's cancellation once the deadline has passed.
    void pass_deadline() {
        clock_.advance(attempt_timeout);
        cancel();
    }

    manual_clock clock_;
    boost::asio::io_context io_;
    boost::asio::any_io_executor strand_ = boost::asio::make_strand(io_);
    boost::asio::cancellation_signal signal_;
    std::shared_ptr<context> context_;
    std::shared_ptr<sink> sink_;
    claimed_event event_;
    std::optional<delivery> said_;
};

}  // namespace leasebox::http
