#include <array>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "fixture.hpp"

namespace leasebox {
namespace {

using inbox::arrival;

constexpr int thread_count = 4;
constexpr std::size_t event_count = 50;

// Not "e" + …: g++ 12 warns of that one where it optimises most.
std::string name(std::size_t event) {
    return std::string("e").append(std::to_string(event));
}

struct racing : inbox_file {
    // Calls `act` with a connection of its own on each thread, all starting together.
    template <class Act>
    void on_threads(Act act) {
        std::latch start(thread_count);
        std::vector<std::jthread> threads;
        for (int at = 0; at < thread_count; ++at) {
            threads.emplace_back([&, at] {
                SQLite::Database database = open();
                start.arrive_and_wait();
                act(database, at);
            });
        }
    }
};

TEST_F(racing, of_all_who_deliver_the_same_event_at_once_one_applies_it) {
    std::atomic<int> firsts = 0;
    std::atomic<int> answered = 0;
    on_threads([&](SQLite::Database& database, int) {
        for (std::size_t event = 0; event < event_count; ++event) {
            const std::string id = name(event);
            const auto found = deliver(database, message(id));
            if (found.verdict == arrival::first) ++firsts;
            if (found.verdict == arrival::duplicate && found.answer == "done") ++answered;
        }
    });
    SQLite::Database database = open();
    EXPECT_EQ(firsts, event_count);
    EXPECT_EQ(answered, event_count * (thread_count - 1));
    EXPECT_EQ(number(database, "SELECT count(*) FROM effect"), event_count);
    EXPECT_EQ(number(database, "SELECT count(DISTINCT event_id) FROM effect"), event_count);
}

TEST_F(racing, never_seen_stays_true_of_older_generations) {
    std::atomic<int> broken = 0;
    std::array<std::atomic<bool>, event_count> fenced{};
    on_threads([&](SQLite::Database& database, int at) {
        for (std::size_t event = 0; event < event_count; ++event) {
            const std::string id = name(event);
            if (at % 2 == 0) {
                if (!fence(database, id, 2)) fenced[event] = true;
                continue;
            }
            const bool before = fenced[event];
            if (verdict(database, message(id, 1)) == arrival::first && before) ++broken;
        }
    });
    SQLite::Database database = open();
    EXPECT_EQ(broken, 0);
    for (std::size_t event = 0; event < event_count; ++event) {
        if (!fenced[event]) continue;
        const std::string id = name(event);
        EXPECT_EQ(number(database, "SELECT count(*) FROM effect WHERE event_id = '" + id + "'"), 0);
    }
}

}  // namespace
}  // namespace leasebox
