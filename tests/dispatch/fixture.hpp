// A dispatcher on one thread with a moved clock, an in-memory store and a scripted sink.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "leasebox/dispatcher.hpp"
#include "leasebox/testing/drive.hpp"
#include "leasebox/testing/manual_clock.hpp"
#include "leasebox/testing/memory_store.hpp"
#include "leasebox/testing/scripted_sink.hpp"

namespace leasebox {

using namespace std::chrono_literals;
using leasebox::testing::manual_clock;
using leasebox::testing::memory_store;
using leasebox::testing::run_for;
using leasebox::testing::run_until_idle;
using leasebox::testing::scripted_sink;
using leasebox::testing::sink_step;

/// Fails its transactions while told to, and counts them.
class failing_store final : public store {
public:
    explicit failing_store(std::shared_ptr<store> inner) : inner_(std::move(inner)) {}

    std::vector<reply> commit(std::span<const operation> batch) override {
        commits += 1;
        batch_most = std::max(batch_most, batch.size());
        if (failing && fails(batch)) throw error(errc::full, "no space left");
        return inner_->commit(batch);
    }
    bool changed_outside() override { return std::exchange(changed, false); }
    void raise_generation_floor() override { inner_->raise_generation_floor(); }
    void register_owner(const std::string& owner) override { inner_->register_owner(owner); }
    int expire_dead_owners(const budgets& limits) override {
        looked_for_dead += 1;
        return inner_->expire_dead_owners(limits);
    }
    prune_result prune(const prune_request& request) override {
        prunes += 1;
        if (failing) throw error(errc::full, "no space left");
        return inner_->prune(request);
    }
    std::optional<explanation> explain(const std::string& id) override {
        return inner_->explain(id);
    }
    store_time now() override { return inner_->now(); }
    std::optional<event_status> status(const std::string& id) override {
        return inner_->status(id);
    }
    std::vector<attempt_record> attempts(const std::string& id) override {
        return inner_->attempts(id);
    }
    std::vector<event_status> list(const list_filter& filter) override {
        return inner_->list(filter);
    }
    store_stats stats() override { return inner_->stats(); }

    bool failing = false;
    bool only_acks = false;  ///< fail only transactions that hold a report
    bool changed = false;
    int commits = 0;
    int looked_for_dead = 0;
    int prunes = 0;
    std::size_t batch_most = 0;

private:
    bool fails(std::span<const operation> batch) const {
        if (!only_acks) return true;
        for (const operation& each : batch) {
            if (std::holds_alternative<ack_request>(each)) return true;
        }
        return false;
    }

    std::shared_ptr<store> inner_;
};

/// Collects what a dispatcher tells its observer.
class recording_observer final : public observer {
public:
    struct line {
        occurrence what;
        std::string event;
        std::optional<verdict> answer;
        std::optional<outcome> result;
    };
    void on(const record& what) noexcept override {
        lines.push_back({what.what, std::string(what.event), what.answer, what.result});
    }
    int count(occurrence what) const {
        int found = 0;
        for (const line& each : lines) found += each.what == what ? 1 : 0;
        return found;
    }
    std::vector<line> lines;
};

struct dispatching : ::testing::Test {
    dispatching() {
        options.store_thread = false;
        options.poll = 1min;  // fewer steps where much time passes
        options.owner = "api-1";
        options.jitter_seed = 1;
    }

    ~dispatching() override {
        worker.reset();
        run_until_idle(context);
    }

    /// Makes the dispatcher, serving "billing", and starts it.
    void start() {
        worker = std::make_unique<dispatcher>(context.get_executor(), events, options, watcher,
                                              clock);
        worker->serve("billing", sink, how);
        worker->async_run([this](boost::system::error_code ec) { ended = ec; });
        run_until_idle(context);
    }

    std::string append(draft event) {
        append_request request;
        request.drafts.push_back(std::move(event));
        const std::vector<operation> batch{std::move(request)};
        const std::vector<reply> replies = inner->commit(batch);
        return std::get<append_reply>(replies.at(0)).receipts.at(0).id;
    }
    std::string append(const std::string& payload = "{}") {
        return append(draft("billing", payload));
    }
    void tell() {
        if (worker) worker->notify();
        run_until_idle(context);
    }
    void pass(milliseconds time) { run_for(context, clock, time); }
    event_status status(const std::string& id) { return inner->status(id).value(); }
    state state_of(const std::string& id) { return status(id).row.at; }

    manual_clock clock;  // outlives everything that has a timer
    boost::asio::io_context context;
    std::shared_ptr<store> inner = std::make_shared<memory_store>(clock);
    std::shared_ptr<failing_store> events = std::make_shared<failing_store>(inner);
    std::shared_ptr<scripted_sink> sink = std::make_shared<scripted_sink>();
    std::shared_ptr<recording_observer> watcher = std::make_shared<recording_observer>();
    dispatcher_options options;
    destination_options how;
    std::unique_ptr<dispatcher> worker;
    std::optional<boost::system::error_code> ended;
};

}  // namespace leasebox
