// The owners whose death can be proven: who they are, and what they leave behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leasebox/core/budget.hpp"
#include "sqlite/lanes.hpp"
#include "sqlite/owner_lock.hpp"

namespace leasebox::sqlite {

class owners {
public:
    /// `store_path` is where the lock files are put beside.
    owners(SQLite::Database& database, std::string store_path, rows& table, lanes& order);

    /// Locks a file for `owner` and registers it. Inside a transaction.
    void add(const std::string& owner, std::string_view boot_id, store_time now);

    /// Somebody is registered besides us. Cheap; outside of a transaction.
    bool others();

    /// Expires every claim of each owner that is proven dead, and forgets the owner. Inside a
    /// transaction. Returns the number of claims.
    int bury_dead(std::string_view boot_id, const budgets& limits, store_time now);

    /// Forgets our own registration, with what we still hold. Inside a transaction.
    void retire(const budgets& limits, store_time now);

private:
    struct registration {
        std::string owner;
        file_identity file;
        std::string boot_id;
    };

    std::string lock_path(const std::string& owner) const;
    std::vector<registration> registered();
    int expire_claims(const std::string& owner, const budgets& limits, store_time now);
    void forget(const std::string& owner);

    SQLite::Database& database_;
    const std::string store_path_;
    rows& rows_;
    lanes& lanes_;
    std::string own_;
    std::optional<owner_lock> own_lock_;
    SQLite::Statement others_;
};

}  // namespace leasebox::sqlite
