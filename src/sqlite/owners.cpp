#include "sqlite/owners.hpp"

namespace leasebox::sqlite {
namespace {

// Claimed rows are as many as are in flight; they are found through the destinations that have
// any.
constexpr const char* claims_sql =
    "SELECT w.seq FROM leasebox_destination AS d CROSS JOIN leasebox_work AS w "
    "ON w.destination_id = d.destination_id AND w.due_class = 1 AND w.due_at IS NOT NULL "
    "WHERE d.claimed > 0 AND w.owner = ?";

}  // namespace

owners::owners(SQLite::Database& database, std::string store_path, rows& table, lanes& order)
    : database_(database),
      store_path_(std::move(store_path)),
      rows_(table),
      lanes_(order),
      others_(database, "SELECT 1 FROM leasebox_owner WHERE owner <> ? LIMIT 1") {}

// The random part alone: it is unique, and made of letters and digits.
std::string owners::lock_path(const std::string& owner) const {
    return store_path_ + "-owner-" + owner.substr(owner.rfind('#') + 1);
}

void owners::add(const std::string& owner, std::string_view boot_id, store_time now) {
    // Kept from an earlier call whose transaction failed.
    if (!own_lock_) {
        std::optional<owner_lock> made = owner_lock::make(lock_path(owner));
        if (!made) return;
        own_lock_.emplace(std::move(*made));
    }
    own_ = owner;
    SQLite::Statement insert(database_,
                             "INSERT INTO leasebox_owner (owner, device, inode, boot_id, "
                             "registered_at) VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, owner);
    insert.bind(2, own_lock_->identity().device);
    insert.bind(3, own_lock_->identity().inode);
    insert.bind(4, std::string(boot_id));
    insert.bind(5, to_ms(now));
    insert.exec();
}

bool owners::others() {
    const reset_guard reset(others_);
    others_.bind(1, own_);
    return others_.executeStep();
}

std::vector<owners::registration> owners::registered() {
    SQLite::Statement query(database_, "SELECT owner, device, inode, boot_id FROM leasebox_owner");
    std::vector<registration> found;
    while (query.executeStep()) {
        registration one;
        one.owner = query.getColumn(0).getString();
        one.file = {query.getColumn(1).getInt64(), query.getColumn(2).getInt64()};
        one.boot_id = query.getColumn(3).getString();
        found.push_back(std::move(one));
    }
    return found;
}

int owners::bury_dead(std::string_view boot_id, const budgets& limits, store_time now) {
    int expired = 0;
    for (const registration& each : registered()) {
        // What another boot has registered may be another host's: its leases tell.
        if (each.owner == own_ || each.boot_id != boot_id) continue;
        const auto proof = owner_lock::take(lock_path(each.owner), each.file);
        if (!proof) continue;
        expired += expire_claims(each.owner, limits, now);
        forget(each.owner);
        proof->remove();
    }
    return expired;
}

void owners::retire(const budgets& limits, store_time now) {
    if (!own_lock_) return;
    expire_claims(own_, limits, now);
    forget(own_);
    own_lock_->remove();
    own_lock_.reset();
}

int owners::expire_claims(const std::string& owner, const budgets& limits, store_time now) {
    SQLite::Statement query(database_, claims_sql);
    query.bind(1, owner);
    std::vector<std::int64_t> found;
    while (query.executeStep()) found.push_back(query.getColumn(0).getInt64());
    query.reset();
    for (const std::int64_t seq : found) {
        work_row row = *rows_.find(seq);
        rows_.add_history(row);
        const claim_key key(std::string(), owner, row.event.generation);
        const transition done = apply_expire(row.event, key, now);
        lanes_.replace(row, row, done, &limits, on_dead::block);
    }
    return static_cast<int>(found.size());
}

void owners::forget(const std::string& owner) {
    SQLite::Statement erase(database_, "DELETE FROM leasebox_owner WHERE owner = ?");
    erase.bind(1, owner);
    erase.exec();
}

}  // namespace leasebox::sqlite
