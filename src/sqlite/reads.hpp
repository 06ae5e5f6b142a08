// What people and monitors ask. Changes nothing, and nothing here counts rows.
#pragma once

#include "leasebox/store.hpp"
#include "sqlite/rows.hpp"

namespace leasebox::sqlite {

class reads {
public:
    reads(SQLite::Database& database, rows& table) : database_(database), rows_(table) {}

    std::optional<event_status> status(const std::string& id);
    std::vector<attempt_record> attempts(const std::string& id);
    std::vector<event_status> list(const list_filter& filter);
    store_stats stats();
    std::optional<explanation> explain(const std::string& id, store_time now);

private:
    event_status status_of(std::int64_t seq);

    SQLite::Database& database_;
    rows& rows_;
};

}  // namespace leasebox::sqlite
