// What every store must do. Each store registers a factory; each test here runs on all of them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "leasebox/store.hpp"
#include "leasebox/testing/manual_clock.hpp"

namespace leasebox {

// Found by GoogleTest, so that times that differ are shown as milliseconds.
inline void PrintTo(store_time at, std::ostream* out) {
    *out << to_ms(at) << " ms";
}

}  // namespace leasebox

namespace leasebox::testing {

using namespace std::chrono_literals;

struct store_factory {
    std::string name;
    std::function<std::unique_ptr<store>(clock&)> make;
};

/// All stores that this program has; one file a store adds to it while it is loaded.
std::vector<store_factory>& store_factories();
bool register_store(store_factory factory);

void PrintTo(const store_factory& factory, std::ostream* out);

/// A store on a clock that is moved by hand, and the sentences that tests are made of.
class conformance : public ::testing::TestWithParam<store_factory> {
protected:
    conformance();

    template <class Reply>
    Reply run(const operation& what) {
        std::vector<reply> replies = subject->commit(std::span(&what, 1));
        return std::get<Reply>(std::move(replies.at(0)));
    }
    std::vector<reply> run_all(const std::vector<operation>& batch);

    receipt append(const draft& event);
    receipt append(const std::string& id, const std::string& destination = "billing");
    receipt append_keyed(const std::string& id, const std::string& key,
                         const std::string& destination = "billing");
    failure append_failing(const draft& event);

    /// A claim of everything, for `lease`, with `limits`.
    claim_request everything(const std::string& owner) const;
    claim_reply claim(const std::string& owner = "worker");
    claim_reply claim_alone(const std::string& owner = "worker");
    /// The one event that is due.
    claimed_event claim_one(const std::string& owner = "worker");

    ack_request an_ack(const claim_key& key, outcome result) const;
    ack_reply ack(const claim_key& key, outcome result);
    renew_reply renew(const claim_key& key, milliseconds by);
    renew_reply renew(const claim_key& key) { return renew(key, lease); }
    operator_reply act(const std::string& id, operator_act what, bool include_delivered = false);

    event_status status(const std::string& id);
    event_row row(const std::string& id) { return status(id).row; }
    /// The status without what is read from the attempts ledger, which evidence may change.
    std::string all_of(const std::string& id) { return all_of(status(id)); }
    static std::string all_of(const event_status& found);

    void let_lease_run_out() { time.advance(lease); }
    /// Claims the one due event and lets the lease run out without a report.
    claimed_event claim_and_crash(const std::string& owner = "crasher");

    manual_clock time;
    std::unique_ptr<store> subject;
    budgets limits;
    milliseconds lease = 30s;
};

std::string name_of(const ::testing::TestParamInfo<store_factory>& info);
std::vector<std::string> ids_of(const claim_reply& reply);

/// Lets the tests of a fixture run on every store.
#define LEASEBOX_INSTANTIATE(fixture) \
    INSTANTIATE_TEST_SUITE_P(stores, fixture, ::testing::ValuesIn(store_factories()), name_of)

/// A fixture that adds nothing but its name.
#define LEASEBOX_ON_EVERY_STORE(fixture)   \
    class fixture : public conformance {}; \
    LEASEBOX_INSTANTIATE(fixture)

}  // namespace leasebox::testing
