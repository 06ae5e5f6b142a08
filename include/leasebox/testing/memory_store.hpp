// A store that keeps everything in memory: for tests of what uses a store, and as the reference
// that the other stores are compared with. Every decision is the model's; scans are linear.
#pragma once

#include <memory>

#include "leasebox/clock.hpp"
#include "leasebox/store.hpp"

namespace leasebox::testing {

struct memory_options {
    std::int64_t payload_bytes_max = 1024 * 1024;  ///< at least 1
};

/// Used from one thread at a time, as every store. `clock` must outlive it.
class memory_store final : public store {
public:
    explicit memory_store(clock& clock, const memory_options& how = {});
    ~memory_store() override;

    std::vector<reply> commit(std::span<const operation> batch) override;
    bool changed_outside() override { return false; }
    void raise_generation_floor() override;
    /// Nobody else can see this store, so there is nobody to prove anything to.
    void register_owner(const std::string&) override {}
    int expire_dead_owners(const budgets&) override { return 0; }
    prune_result prune(const prune_request& request) override;

    store_time now() override;
    std::optional<explanation> explain(const std::string& id) override;
    std::optional<event_status> status(const std::string& id) override;
    std::vector<attempt_record> attempts(const std::string& id) override;
    std::vector<event_status> list(const list_filter& filter) override;
    store_stats stats() override;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace leasebox::testing
