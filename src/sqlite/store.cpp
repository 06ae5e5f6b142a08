#include "leasebox/sqlite/store.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "sqlite/accounts.hpp"
#include "sqlite/append.hpp"
#include "sqlite/claims.hpp"
#include "sqlite/connection.hpp"
#include "sqlite/fences.hpp"
#include "sqlite/lanes.hpp"
#include "sqlite/owners.hpp"
#include "sqlite/pruning.hpp"
#include "sqlite/reads.hpp"
#include "sqlite/rows.hpp"
#include "sqlite/schema.hpp"

namespace leasebox::sqlite {
namespace {

constexpr std::int64_t generation_block = 1024;

// The transaction that a function of the application is given.
class open_transaction final : public transaction {
public:
    open_transaction(SQLite::Database& database, appender& insert)
        : database_(database), insert_(insert) {}
    receipt append(const draft& event) override { return insert_.append(event); }
    SQLite::Database& database() { return database_; }

private:
    SQLite::Database& database_;
    appender& insert_;
};

class sqlite_store final : public store {
public:
    sqlite_store(const std::string& path, const options& how, clock& time);
    ~sqlite_store() override;
    sqlite_store(const sqlite_store&) = delete;
    sqlite_store& operator=(const sqlite_store&) = delete;

    std::vector<reply> commit(std::span<const operation> batch) override;
    bool changed_outside() override;
    void raise_generation_floor() override;
    void register_owner(const std::string& owner) override;
    int expire_dead_owners(const budgets& limits) override;
    prune_result prune(const prune_request& request) override;
    store_time now() override;
    std::optional<explanation> explain(const std::string& id) override;
    std::optional<event_status> status(const std::string& id) override;
    std::vector<attempt_record> attempts(const std::string& id) override;
    std::vector<event_status> list(const list_filter& filter) override;
    store_stats stats() override;

private:
    void check_file() const;
    void begin();
    void end();
    void read_store_row();
    void write_store_row();
    reply run(const operation& what);
    reply run_claim(const claim_request& request);
    reply run_append(const append_request& request);
    reply run_transact(const transact_request& request);
    reply run_act(const operator_request& request);
    reply run_pause(const pause_request& request);
    template <class Function>
    reply run_undoable(Function function);
    template <class Function>
    void transact_alone(const char* doing, Function function);

    clock& clock_;
    const std::string path_;
    SQLite::Database database_;
    const std::optional<file_identity> file_;  ///< what was opened; empty: not to be told
    SQLite::Statement read_store_;
    SQLite::Statement write_store_;
    SQLite::Statement data_version_;
    appender appender_;
    rows rows_;
    accounts accounts_;
    lanes lanes_;
    claims claims_;
    fences fences_;
    pruning pruning_;
    reads reads_;
    owners owners_;

    // Of the open transaction.
    clock_mark mark_;
    clock_reading reading_;
    store_time now_{};
    std::int64_t generation_ = 0;
    std::int64_t changes_before_ = 0;
    bool time_was_told_ = false;  ///< somebody was refused for being late: time may not go back

    // Anchors a mark that a producer's plain append raised, for reads between transactions.
    clock_mark seen_;
    std::int64_t last_data_version_ = 0;
};

SQLite::Database open_with_schema(const std::string& path, const options& how) {
    SQLite::Database database = open_database(path, how);
    try {
        if (how.create) migrate(database, how.payload_bytes_max);
        require_schema(database);
    } catch (const SQLite::Exception& thrown) {
        fail(thrown, "opening the store " + path);
    }
    return database;
}

sqlite_store::sqlite_store(const std::string& path, const options& how, clock& time)
    : clock_(time),
      path_(path),
      database_(open_with_schema(path, how)),
      file_(identity_of(path)),
      read_store_(database_,
                  "SELECT generation, clock_ms, clock_boot_ns, boot_id FROM leasebox_store"),
      write_store_(database_,
                   "UPDATE leasebox_store SET generation = ?1, clock_ms = max(clock_ms, ?2), "
                   "clock_boot_ns = ?3, boot_id = ?4"),
      data_version_(database_, "PRAGMA data_version"),
      appender_(database_.getHandle()),
      rows_(database_),
      accounts_(database_),
      lanes_(database_, rows_, accounts_),
      claims_(database_, rows_, lanes_, accounts_),
      fences_(rows_, lanes_),
      pruning_(database_),
      reads_(database_, rows_),
      owners_(database_, path, rows_, lanes_) {
    changed_outside();
}

sqlite_store::~sqlite_store() {
    try {
        transact_alone("retiring the owner", [this] { owners_.retire(budgets{}, now_); });
    } catch (const std::exception&) {
        // The registration stays; the next one who looks finds its lock free, and does this.
    }
}

std::vector<reply> sqlite_store::commit(std::span<const operation> batch) try {
    write_transaction open(database_);
    begin();
    std::vector<reply> replies;
    replies.reserve(batch.size());
    for (const operation& what : batch) replies.push_back(run(what));
    end();
    open.commit();
    return replies;
} catch (const SQLite::Exception& thrown) {
    accounts_.forget();
    fail(thrown, "the store's transaction");
} catch (...) {
    accounts_.forget();
    throw;
}

// A file that was removed or replaced under us is still open here, but nobody else's events reach
// it, and nothing that is written to it will be found again.
void sqlite_store::check_file() const {
    if (!file_ || identity_of(path_) == file_) return;
    throw error(errc::io, "the store's file " + path_ +
                              " was removed or replaced while it was open; restart on the new one");
}

void sqlite_store::begin() {
    check_file();
    read_store_row();
    now_ = read_store_time(mark_, reading_);
    time_was_told_ = false;
    changes_before_ = sqlite3_total_changes64(database_.getHandle());
}

void sqlite_store::read_store_row() {
    const reset_guard reset(read_store_);
    read_store_.executeStep();
    reading_ = clock_.read();
    generation_ = read_store_.getColumn(0).getInt64();
    mark_.high = from_ms(read_store_.getColumn(1).getInt64());
    mark_.boot.reset();
    if (!read_store_.isColumnNull(2)) {
        mark_.boot = boot_time{std::chrono::nanoseconds{read_store_.getColumn(2).getInt64()}};
        mark_.boot_id = read_store_.getColumn(3).getString();
    }
    if (!mark_.boot || mark_.boot_id != reading_.boot_id) {
        // Nobody has said where this host's clock stood at the mark: it is taken to be where it
        // was when the mark was first seen here.
        if (seen_.high != mark_.high || !seen_.boot) {
            seen_ = {mark_.high, reading_.boot, std::string(reading_.boot_id)};
        }
        mark_ = seen_;
    }
}

void sqlite_store::end() {
    accounts_.write();
    const bool changed =
        sqlite3_total_changes64(database_.getHandle()) != changes_before_;
    if (changed || time_was_told_) write_store_row();
}

void sqlite_store::write_store_row() {
    const reset_guard reset(write_store_);
    write_store_.bind(1, generation_);
    write_store_.bind(2, to_ms(now_));
    write_store_.bind(3, static_cast<std::int64_t>(reading_.boot.time_since_epoch().count()));
    write_store_.bind(4, std::string(reading_.boot_id));
    write_store_.exec();
}

reply sqlite_store::run(const operation& what) {
    struct visitor {
        sqlite_store& self;
        reply operator()(const ack_request& it) {
            const ack_reply judged = self.fences_.acknowledge(it, self.now_);
            self.time_was_told_ |= judged.answer == verdict::lease_expired;
            return judged;
        }
        reply operator()(const renew_request& it) {
            const renew_reply judged = self.fences_.renew(it, self.now_);
            self.time_was_told_ |= judged.answer == verdict::lease_expired;
            return judged;
        }
        reply operator()(const claim_request& it) { return self.run_claim(it); }
        reply operator()(const append_request& it) { return self.run_append(it); }
        reply operator()(const transact_request& it) { return self.run_transact(it); }
        reply operator()(const operator_request& it) { return self.run_act(it); }
        reply operator()(const pause_request& it) { return self.run_pause(it); }
    };
    return std::visit(visitor{*this}, what);
}

reply sqlite_store::run_claim(const claim_request& request) {
    accounts_.write();
    claim_reply taken = claims_.take(request, generation_ + 1, now_);
    if (!taken.events.empty() || !taken.settled.empty()) generation_ += 1;
    return taken;
}

reply sqlite_store::run_act(const operator_request& request) {
    const operator_reply done = fences_.act(request, generation_ + 1, now_);
    if (done.answer == verdict::accepted) generation_ += 1;
    return done;
}

// Undoes what `function` did where it throws, and only that, unless SQLite has given up the
// whole transaction.
template <class Function>
reply sqlite_store::run_undoable(Function function) {
    database_.exec("SAVEPOINT leasebox_operation");
    try {
        reply done = function();
        if (!in_transaction(database_)) {
            throw error(errc::store_failed, "the function ended the store's transaction");
        }
        database_.exec("RELEASE leasebox_operation");
        return done;
    } catch (...) {
        if (!in_transaction(database_)) throw;
        database_.exec("ROLLBACK TO leasebox_operation");
        database_.exec("RELEASE leasebox_operation");
        failure failed;
        failed.thrown = std::current_exception();
        try {
            throw;
        } catch (const error& known) {
            failed.code = known.code();
            failed.sentence = known.sentence();
        } catch (const std::exception& other) {
            failed.code = make_error_code(errc::store_failed);
            failed.sentence = other.what();
        } catch (...) {
            failed.code = make_error_code(errc::store_failed);
            failed.sentence = "an unknown exception";
        }
        return failed;
    }
}

// The triggers of an append take the store's time from its row.
reply sqlite_store::run_append(const append_request& request) {
    write_store_row();
    return run_undoable([&]() -> reply {
        append_reply done;
        done.receipts.reserve(request.drafts.size());
        for (const draft& event : request.drafts) done.receipts.push_back(appender_.append(event));
        return done;
    });
}

reply sqlite_store::run_transact(const transact_request& request) {
    write_store_row();
    return run_undoable([&]() -> reply {
        open_transaction open(database_, appender_);
        request.run(open);
        return transact_reply{};
    });
}

bool sqlite_store::changed_outside() {
    check_file();
    const reset_guard reset(data_version_);
    data_version_.executeStep();
    const std::int64_t version = data_version_.getColumn(0).getInt64();
    return std::exchange(last_data_version_, version) != version;
}

template <class Function>
void sqlite_store::transact_alone(const char* doing, Function function) try {
    write_transaction open(database_);
    begin();
    function();
    end();
    open.commit();
} catch (const SQLite::Exception& thrown) {
    accounts_.forget();
    fail(thrown, doing);
}

void sqlite_store::raise_generation_floor() {
    transact_alone("raising the generation floor", [this] {
        generation_ += generation_block;
        write_store_row();
    });
}

void sqlite_store::register_owner(const std::string& owner) {
    transact_alone("registering the owner",
                   [&] { owners_.add(owner, reading_.boot_id, now_); });
}

int sqlite_store::expire_dead_owners(const budgets& limits) try {
    if (!owners_.others()) return 0;
    int expired = 0;
    transact_alone("expiring dead owners' claims",
                   [&] { expired = owners_.bury_dead(reading_.boot_id, limits, now_); });
    return expired;
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "reading the store");
}

// Looking needs no lock; the lock is held only for what is really removed. Space is given back by
// the calls that remove nothing, so that no call does both.
prune_result sqlite_store::prune(const prune_request& request) try {
    prune_result result = pruning_.look(request, now());
    if (request.dry_run) return result;
    if (!pruning_.found_any()) {
        result.more = pruning_.give_back() || result.more;
        return result;
    }
    write_transaction open(database_);
    begin();
    pruning_.remove(request, now_, result);
    end();
    open.commit();
    result.more = true;
    return result;
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "removing old events");
}

reply sqlite_store::run_pause(const pause_request& request) {
    SQLite::Statement insert(database_,
                             "INSERT INTO leasebox_destination (name) VALUES (?) "
                             "ON CONFLICT (name) DO NOTHING");
    insert.bind(1, request.destination);
    insert.exec();
    SQLite::Statement update(database_,
                             "UPDATE leasebox_destination SET paused = ? WHERE name = ?");
    update.bind(1, request.paused ? 1 : 0);
    update.bind(2, request.destination);
    update.exec();
    return pause_reply{};
}

std::optional<explanation> sqlite_store::explain(const std::string& id) try {
    return reads_.explain(id, now());
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "reading the store");
}

store_time sqlite_store::now() {
    read_store_row();
    return read_store_time(mark_, reading_);
}

std::optional<event_status> sqlite_store::status(const std::string& id) try {
    return reads_.status(id);
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "reading the store");
}

std::vector<attempt_record> sqlite_store::attempts(const std::string& id) try {
    return reads_.attempts(id);
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "reading the store");
}

std::vector<event_status> sqlite_store::list(const list_filter& filter) try {
    return reads_.list(filter);
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "reading the store");
}

store_stats sqlite_store::stats() try {
    store_stats all = reads_.stats();
    all.now = now();
    return all;
} catch (const SQLite::Exception& thrown) {
    fail(thrown, "reading the store");
}

}  // namespace

std::unique_ptr<store> open(const std::string& path, const options& how, clock& time) {
    if (how.patience.count() < 1 || how.patience > std::chrono::minutes{10}) {
        throw error(errc::invalid_option, "patience: must be from 1ms to 10m");
    }
    if (how.payload_bytes_max < 1 || how.payload_bytes_max > 256 * 1024 * 1024) {
        throw error(errc::invalid_option, "payload_bytes_max: must be from 1 to 268435456");
    }
    try {
        return std::make_unique<sqlite_store>(path, how, time);
    } catch (const SQLite::Exception& thrown) {
        fail(thrown, "opening the store " + path);
    }
}

SQLite::Database& database_of(transaction& open) {
    auto* ours = dynamic_cast<open_transaction*>(&open);
    if (ours == nullptr) {
        throw error(errc::invalid_option, "database_of: the transaction is not of a SQLite store");
    }
    return ours->database();
}

}  // namespace leasebox::sqlite
