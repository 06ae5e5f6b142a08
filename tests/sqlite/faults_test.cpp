// A disk that fails: typed errors, nothing believed, recovery by itself.
#include "fixture.hpp"
#include "support/fault_vfs.hpp"

namespace leasebox {
namespace {

struct failing_disk : sqlite_file {
    leasebox::testing::fault_vfs disk;
};

TEST_F(failing_disk, a_full_disk_fails_the_claim_and_nothing_is_believed) {
    auto events = open_store();
    ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    disk.fail_writes(SQLITE_FULL);
    try {
        claim(*events);
        FAIL() << "claimed on a full disk";
    } catch (const error& failed) {
        EXPECT_EQ(failed.code(), errc::full);
        EXPECT_TRUE(is_transient(failed.code()));
    }
    EXPECT_EQ(events->list({}).at(0).row.at, state::pending);
    disk.heal();
    const auto taken = claim(*events);
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].attempt, 1);
}

TEST_F(failing_disk, an_ack_that_could_not_be_written_is_accepted_when_it_can) {
    auto events = open_store();
    ask<append_reply>(*events, append_request{{draft("billing", "{}")}});
    const auto taken = claim(*events);
    disk.fail_writes(SQLITE_IOERR_FSYNC);
    EXPECT_THROW(ack(*events, taken[0].key, outcome::delivered), error);
    disk.heal();
    // The write may or may not have reached the file before the sync failed: both are right.
    const verdict again = ack(*events, taken[0].key, outcome::delivered).answer;
    EXPECT_TRUE(again == verdict::accepted || again == verdict::already_accepted);
    EXPECT_EQ(events->list({}).at(0).row.at, state::delivered);
}

TEST_F(failing_disk, counts_agree_with_rows_whichever_write_fails) {
    // Each write of the scenario fails once; after each failure the scenario goes on.
    for (int nth = 1;; ++nth) {
        testing::temp_dir fresh;
        auto events = sqlite::open(fresh.file("s.db"), how, clock);
        disk.fail_nth(nth, SQLITE_FULL, false);
        const auto tried = [](const std::function<void()>& act) {
            try {
                act();
            } catch (const error& failed) {
                EXPECT_TRUE(is_transient(failed.code())) << failed.what();
            }
        };
        std::vector<claimed_event> taken;
        for (int at = 0; at < 3; ++at) {
            draft event("billing", "{}");
            event.key = "k";
            tried([&] { ask<append_reply>(*events, append_request{{event}}); });
        }
        tried([&] { taken = claim(*events, 3); });
        for (const auto& each : taken) {
            tried([&] { ack(*events, each.key, outcome::delivered); });
        }
        const bool over = !disk.struck();
        disk.heal();
        for (int round = 0; round < 5; ++round) {
            clock.advance(31s);
            for (const auto& each : claim(*events, 3)) {
                ack(*events, each.key, outcome::delivered);
            }
        }
        const auto rows = events->list({});
        const auto counts = events->stats().destinations["billing"].events;
        EXPECT_EQ(counts.at(state::delivered), static_cast<std::int64_t>(rows.size())) << nth;
        EXPECT_EQ(counts.at(state::pending), 0) << nth;
        EXPECT_EQ(counts.at(state::claimed), 0) << nth;
        if (over) break;
        ASSERT_LT(nth, 500);
    }
}

}  // namespace
}  // namespace leasebox
