// The consumer's database: one row for each effect, beside the inbox.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "apps/receive/delivery.hpp"
#include "apps/receive/options.hpp"

namespace leasebox::apps {

/// What became of a delivery or a lookup.
struct outcome {
    std::string_view verdict;
    int status = 0;
    std::string body;
    bool replayed = false;
};

/// Used on one thread. The effects are rows of `received_effect`, which has no unique column, so
/// that an effect that came twice would be seen.
class ledger {
public:
    explicit ledger(const receive_options& options);

    void begin();
    void commit();
    /// Does nothing where SQLite has rolled back by itself.
    void roll_back() noexcept;

    /// Between begin() and commit().
    outcome handle(const delivery& what);

private:
    outcome apply(const delivery& what);
    outcome look_up(const delivery& what);
    void add_effect(const delivery& what, store_time now);

    SQLite::Database database_;
    SQLite::Statement effect_;
};

}  // namespace leasebox::apps
