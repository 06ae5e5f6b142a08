// Proof of an owner's death: positive or absent.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fixture.hpp"

namespace leasebox {
namespace {

struct owners : sqlite_file {
    owners() {
        auto events = open_store();
        append_request request;
        for (int at = 0; at < 3; ++at) request.drafts.emplace_back("billing", "{}");
        ask<append_reply>(*events, request);
    }
    ~owners() override { end_child(); }

    // A process that has claimed everything under a long lease, and then does nothing.
    void start_owner(bool registered) {
        int ready[2];
        ASSERT_EQ(pipe(ready), 0);
        child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            auto events = open_store();
            if (registered) events->register_owner("api-1#aaaa");
            claim(*events, 3, 1h, "api-1#aaaa");
            if (write(ready[1], "x", 1) != 1) _exit(1);
            while (true) pause();
        }
        char byte = 0;
        ASSERT_EQ(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        close(ready[1]);
    }
    void end_child() {
        if (child <= 0) return;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        child = -1;
    }
    int expire() {
        auto events = open_store();
        events->register_owner("api-1#bbbb");
        return events->expire_dead_owners(budgets{});
    }
    std::string lock_file() const { return path() + "-owner-aaaa"; }

    pid_t child = -1;
};

TEST_F(owners, a_killed_owners_claims_are_expired_at_once_and_only_once) {
    start_owner(true);
    end_child();
    EXPECT_EQ(expire(), 3);
    EXPECT_EQ(expire(), 0);
    auto events = open_store();
    const auto taken = claim(*events, 3);
    ASSERT_EQ(taken.size(), 3u);
    EXPECT_EQ(taken[0].attempt, 2);
    EXPECT_EQ(taken[0].expiries, 1);
    EXPECT_EQ(events->attempts(taken[0].key.id)[0].result, outcome::expired);
    EXPECT_FALSE(std::filesystem::exists(lock_file()));
}

TEST_F(owners, a_living_owner_is_left_alone) {
    start_owner(true);
    EXPECT_EQ(expire(), 0);
}

TEST_F(owners, a_stopped_owner_is_not_dead) {
    start_owner(true);
    kill(child, SIGSTOP);
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    EXPECT_EQ(expire(), 0);
}

TEST_F(owners, an_owner_that_never_registered_is_never_taken_for_dead) {
    start_owner(false);
    end_child();
    EXPECT_EQ(expire(), 0);
    clock.advance(1h + 1s);
    auto events = open_store();
    EXPECT_EQ(claim(*events, 3).size(), 3u);
}

TEST_F(owners, a_missing_or_different_lock_file_proves_nothing) {
    start_owner(true);
    end_child();
    // Another file under the same name; the first keeps its inode until it is closed.
    const int old = open(lock_file().c_str(), O_RDONLY);
    std::filesystem::remove(lock_file());
    EXPECT_EQ(expire(), 0);
    std::ofstream(lock_file()) << "";
    EXPECT_EQ(expire(), 0);
    close(old);
}

TEST_F(owners, another_boot_proves_nothing) {
    start_owner(true);
    end_child();
    clock.reboot();
    EXPECT_EQ(expire(), 0);
}

TEST_F(owners, a_store_that_is_closed_leaves_no_claim_and_no_file_behind) {
    {
        auto events = open_store();
        events->register_owner("api-1#cccc");
        EXPECT_EQ(claim(*events, 3, 1h, "api-1#cccc").size(), 3u);
        EXPECT_TRUE(std::filesystem::exists(path() + "-owner-cccc"));
    }
    EXPECT_FALSE(std::filesystem::exists(path() + "-owner-cccc"));
    auto events = open_store();
    EXPECT_EQ(claim(*events, 3).size(), 3u);
}

TEST_F(owners, a_late_report_of_a_buried_owner_is_evidence) {
    start_owner(true);
    const auto held = open_store()->list({}).at(0);
    end_child();
    expire();
    auto events = open_store();
    const claim_key late(held.id, "api-1#aaaa", held.row.generation);
    const ack_reply refused = ack(*events, late, outcome::delivered);
    EXPECT_EQ(refused.answer, verdict::not_claimed);
    EXPECT_TRUE(refused.evidence_kept);
    claim(*events, 3);
    EXPECT_EQ(events->status(held.id)->row.how, cause::evidence);
}

}  // namespace
}  // namespace leasebox
