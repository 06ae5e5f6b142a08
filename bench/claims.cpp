// What a claim costs: against the backlog, settled history, blocked lanes, the number of
// destinations, and while old events are removed.
//
//   leasebox_bench_claims [--quick] [FOLDER]
//
// One line a situation: the latencies of single claim transactions of up to 64 events, and of
// the claim and the transaction that acknowledges all of it together. Each round appends as many
// events as it takes, so that the backlog stays what it says. `cpu` is the median of what the
// thread computed; p50 and p99 are what the clock on the wall says, disk and neighbours included.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>

#include "leasebox/sqlite/store.hpp"

namespace {

using namespace leasebox;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr int claim_limit = 64;

struct latencies {
    std::vector<double> microseconds;

    void add(steady::duration took) {
        microseconds.push_back(std::chrono::duration<double, std::micro>(took).count());
    }
    double at(double share) {
        if (microseconds.empty()) return 0;
        std::sort(microseconds.begin(), microseconds.end());
        const auto last = static_cast<double>(microseconds.size() - 1);
        return microseconds[static_cast<std::size_t>(share * last)];
    }
};

struct measured {
    latencies claim;
    latencies both;
    latencies claim_cpu;
    latencies both_cpu;
};

// What this thread has computed so far: the cost without the machine's other work and the disk.
steady::duration computed() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::vector<operation> claim_of(int destinations_named) {
    claim_request request;
    request.owner = "bench";
    request.limit = claim_limit;
    request.lease = 10min;
    request.any_destination = destinations_named == 0;
    for (int at = 0; at < destinations_named; ++at) {
        request.destinations.push_back({"d" + std::to_string(at), 16, on_dead::block});
    }
    return {std::move(request)};
}

void acknowledge(store& events, const std::vector<claimed_event>& taken) {
    std::vector<operation> batch;
    for (const claimed_event& each : taken) {
        ack_request request;
        request.command.key = each.key;
        request.command.what = report(outcome::delivered);
        batch.emplace_back(std::move(request));
    }
    events.commit(batch);
}

void append_due(store& events, int count, int destinations) {
    append_request request;
    for (int at = 0; at < count; ++at) {
        request.drafts.emplace_back("d" + std::to_string(at % destinations), "{\"n\":1}");
    }
    const std::vector<operation> batch{std::move(request)};
    events.commit(batch);
}

void round(store& events, int destinations, int named, measured& into) {
    append_due(events, claim_limit, destinations);
    const std::vector<operation> batch = claim_of(named);
    const steady::time_point began = steady::now();
    const steady::duration cpu_began = computed();
    auto replies = events.commit(batch);
    into.claim_cpu.add(computed() - cpu_began);
    into.claim.add(steady::now() - began);
    acknowledge(events, std::get<claim_reply>(replies.front()).events);
    into.both_cpu.add(computed() - cpu_began);
    into.both.add(steady::now() - began);
    // A writer without pauses leaves no other one in: SQLite's locks are not fair.
    std::this_thread::sleep_for(1ms);
}

void print(const std::string& name, measured& what) {
    std::printf("%-41s claim us cpu %5.0f p50 %5.0f p99 %6.0f   claim+ack us cpu %5.0f p50 %5.0f "
                "p99 %6.0f   n %zu\n",
                name.c_str(), what.claim_cpu.at(0.5), what.claim.at(0.5), what.claim.at(0.99),
                what.both_cpu.at(0.5), what.both.at(0.5), what.both.at(0.99),
                what.claim.microseconds.size());
    std::fflush(stdout);
}

// Rows as they are after the events' way through the store, made at once.
std::string insert_events(int count, const std::string& columns) {
    return "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
           std::to_string(count) +
           ") INSERT INTO leasebox_event (destination, payload, key, not_before) SELECT " +
           columns + " FROM n";
}

std::string due_for(int count, int destinations) {
    return insert_events(count, "'d' || (i % " + std::to_string(destinations) +
                                    "), '{\"n\":1}', NULL, NULL");
}

constexpr const char* settle_all =
    "UPDATE leasebox_work SET state = 3, owner = 'w', settled_at = appended_at - 86400000, "
    "due_class = NULL, due_at = NULL;"
    "UPDATE leasebox_destination SET delivered = pending, pending = 0, next_due = NULL";

constexpr const char* kill_all =
    "UPDATE leasebox_work SET state = 4, reason = 1, settled_at = appended_at, "
    "due_class = NULL, due_at = NULL;"
    "UPDATE leasebox_lane SET blocked = 1;"
    "UPDATE leasebox_destination SET dead = pending, lanes_blocked = pending, pending = 0, "
    "next_due = NULL";

struct situation {
    std::string name;
    std::vector<std::string> sql;
    int destinations = 1;  ///< that the appended events go to, in turn
    int named = 0;         ///< destinations with a quota in the claim; 0: any
};

class bench {
public:
    bench(std::filesystem::path folder, bool quick) : folder_(std::move(folder)), quick_(quick) {}

    void run() {
        for (const situation& each : situations()) run(each);
        without_index();
        while_pruning();
    }

private:
    int scaled(int full) const { return quick_ ? full / 10 : full; }

    std::vector<situation> situations() const {
        const int many = scaled(1'000'000);
        const int some = scaled(100'000);
        const auto n = [](int count) { return std::to_string(count); };
        const std::string lanes = insert_events(some, "'d0', 'x', 'k' || i, NULL");
        const std::string future = insert_events(
            10'000, "'d' || i, 'x', NULL, 4102444800000");
        return {
            {"nothing else", {}, 1, 0},
            {"backlog " + n(some), {due_for(some, 1)}, 1, 0},
            {"backlog " + n(many), {due_for(many, 1)}, 1, 0},
            {"settled " + n(many), {due_for(many, 1), settle_all}, 1, 0},
            {"blocked lanes " + n(some), {lanes, kill_all}, 1, 0},
            {"10000 destinations, all due", {due_for(20'000, 10'000)}, 10'000, 0},
            {"10000 destinations, all due, each named", {due_for(20'000, 10'000)}, 10'000, 10'000},
            {"10000 destinations, future events, 1 due", {future}, 1, 0},
            {"10000 destinations, future, 1 due, named", {future}, 1, 10'000},
        };
    }

    std::string fresh_file() {
        files_ += 1;
        return (folder_ / ("bench-" + std::to_string(files_) + ".db")).string();
    }

    std::unique_ptr<store> filled(const std::string& path, const std::vector<std::string>& sql) {
        std::unique_ptr<store> events = sqlite::open(path);
        SQLite::Database database(path, SQLite::OPEN_READWRITE, 60'000);
        for (const std::string& each : sql) {
            SQLite::Transaction open(database);
            database.exec(each);
            open.commit();
        }
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        return events;
    }

    void run(const situation& what) {
        const std::string path = fresh_file();
        std::unique_ptr<store> events = filled(path, what.sql);
        measured found;
        const int rounds = quick_ ? 200 : 1'000;
        for (int at = 0; at < 10; ++at) {
            measured warming;
            round(*events, what.destinations, what.named, warming);
        }
        for (int at = 0; at < rounds; ++at) round(*events, what.destinations, what.named, found);
        print(what.name, found);
        forget(std::move(events), path);
    }

    // The cost of the index that pruning needs: the same as "nothing else", but without it.
    void without_index() {
        const std::string path = fresh_file();
        std::unique_ptr<store> events = filled(path, {"DROP INDEX leasebox_work_settled"});
        measured found;
        for (int at = 0; at < (quick_ ? 200 : 1'000); ++at) round(*events, 1, 0, found);
        print("nothing else, no index of settled rows", found);
        forget(std::move(events), path);
    }

    void while_pruning() {
        const int count = quick_ ? 20'000 : 500'000;
        const std::string path = fresh_file();
        std::unique_ptr<store> events = filled(path, {due_for(count, 1), settle_all});
        measured quiet;
        for (int at = 0; at < 1'000; ++at) round(*events, 1, 0, quiet);
        print("before pruning " + std::to_string(count), quiet);
        latencies alone;
        for (int at = 0; at < 20; ++at) {
            prune_request request;
            request.delivered = 1h;
            const steady::duration cpu_began = computed();
            events->prune(request);
            alone.add(computed() - cpu_began);
        }
        std::printf("one step of pruning (200 events): us cpu %.0f\n", alone.at(0.5));
        std::atomic<bool> ended{false};
        std::thread other([&] { prune(path, count, ended); });
        measured busy;
        while (!ended) round(*events, 1, 0, busy);
        other.join();
        print("while pruning " + std::to_string(count), busy);
        std::printf("p99 while pruning / before: claim %.2f, claim+ack %.2f\n",
                    busy.claim.at(0.99) / quiet.claim.at(0.99),
                    busy.both.at(0.99) / quiet.both.at(0.99));
        forget(std::move(events), path);
    }

    // As `leasebox prune` does it, in a connection of its own.
    static void prune(const std::string& path, int count, std::atomic<bool>& ended) {
        std::unique_ptr<store> events = sqlite::open(path);
        prune_request request;
        request.delivered = 1h;
        latencies steps;
        std::int64_t removed = 0;
        const steady::time_point began = steady::now();
        double removing = 0;
        for (bool more = true; more;) {
            const steady::time_point step_began = steady::now();
            const prune_result step = events->prune(request);
            const steady::duration took = steady::now() - step_began;
            steps.add(took);
            for (const auto& [at, each] : step.removed) removed += each;
            if (!step.removed.empty()) {
                removing = std::chrono::duration<double>(steady::now() - began).count();
            }
            request.after = step.next;
            more = step.more;
            std::this_thread::sleep_for(std::clamp<steady::duration>(4 * took, 5ms, 200ms));
        }
        const double all = std::chrono::duration<double>(steady::now() - began).count();
        std::printf("removed %lld of %d in %.1f s, all space given back after %.1f s; "
                    "a step with its wait for the lock us p50 %.0f p99 %.0f\n",
                    static_cast<long long>(removed), count, removing, all, steps.at(0.5),
                    steps.at(0.99));
        ended = true;
    }

    static void forget(std::unique_ptr<store> events, const std::string& path) {
        events.reset();
        for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
    }

    std::filesystem::path folder_;
    bool quick_;
    int files_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    bool quick = false;
    std::filesystem::path folder = std::filesystem::temp_directory_path();
    for (int at = 1; at < argc; ++at) {
        const std::string word = argv[at];
        if (word == "--quick") {
            quick = true;
        } else {
            folder = word;
        }
    }
    bench(folder, quick).run();
}
