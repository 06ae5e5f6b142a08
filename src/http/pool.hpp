// Idle keep-alive connections of one sink. Used on one strand.
#pragma once

#include <memory>
#include <vector>

#include "http/connection.hpp"

namespace leasebox::http {

struct pool_limits {
    std::size_t connections_max = 1;
    milliseconds idle_max{};
    milliseconds age_max{};
};

class pool {
public:
    explicit pool(pool_limits limits) : limits_(limits) {}
    ~pool() { close(); }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// The one used last that is still good; null where there is none. Others that are too old
    /// or were closed by the peer are dropped.
    std::shared_ptr<connection> take(boot_time now);
    void give_back(std::shared_ptr<connection> idle, boot_time now);
    /// Closes what is idle; what comes back later is closed, too.
    void close() noexcept;
    std::size_t size() const noexcept { return idle_.size(); }

private:
    struct entry {
        std::shared_ptr<connection> link;
        boot_time since;
    };

    bool is_fresh(const entry& kept, boot_time now) const;
    void drop_old(boot_time now);

    pool_limits limits_;
    std::vector<entry> idle_;  // the one that idles the longest first
    bool closed_ = false;
};

}  // namespace leasebox::http
