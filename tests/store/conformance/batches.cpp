#include <stdexcept>

#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(batches);

append_request one_draft(const std::string& id, const std::string& destination = "billing") {
    draft event(destination, "{}");
    event.id = id;
    return append_request{{event}};
}

TEST_P(batches, an_empty_batch_is_nothing) {
    EXPECT_TRUE(run_all({}).empty());
}

TEST_P(batches, replies_come_in_the_order_of_the_operations) {
    append("a");
    const claimed_event mine = claim_one();
    const std::vector<reply> replies =
        run_all({an_ack(mine.key, outcome::delivered), one_draft("b"), everything("worker")});
    ASSERT_EQ(replies.size(), 3U);
    EXPECT_EQ(std::get<ack_reply>(replies[0]).answer, verdict::accepted);
    EXPECT_EQ(std::get<append_reply>(replies[1]).receipts.at(0).id, "b");
    EXPECT_EQ(ids_of(std::get<claim_reply>(replies[2])), std::vector<std::string>{"b"});
}

TEST_P(batches, all_operations_of_a_batch_have_one_time) {
    append("a");
    const std::vector<reply> replies =
        run_all({everything("worker"), one_draft("b"), everything("worker")});
    const claim_reply& first = std::get<claim_reply>(replies[0]);
    const claim_reply& second = std::get<claim_reply>(replies[2]);
    EXPECT_EQ(first.now, second.now);
    EXPECT_EQ(status("b").appended_at, first.now);
    EXPECT_GT(second.events.at(0).key.generation, first.events.at(0).key.generation);
}

TEST_P(batches, a_failed_append_leaves_the_others) {
    const std::vector<reply> replies =
        run_all({one_draft("a"), one_draft("bad", "no such name!"), one_draft("a"), one_draft("b"),
                 everything("worker")});
    EXPECT_TRUE(std::holds_alternative<append_reply>(replies[0]));
    EXPECT_EQ(std::get<failure>(replies[1]).code, errc::invalid_event);
    EXPECT_EQ(std::get<failure>(replies[2]).code, errc::duplicate_id);
    EXPECT_TRUE(std::holds_alternative<append_reply>(replies[3]));
    EXPECT_EQ(ids_of(std::get<claim_reply>(replies[4])), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(subject->stats().destinations["billing"].events[state::claimed], 2);
}

TEST_P(batches, an_ack_twice_in_one_batch_is_accepted_once) {
    append("a");
    const claimed_event mine = claim_one();
    const std::vector<reply> replies =
        run_all({an_ack(mine.key, outcome::delivered), an_ack(mine.key, outcome::delivered)});
    EXPECT_EQ(std::get<ack_reply>(replies[0]).answer, verdict::accepted);
    EXPECT_EQ(std::get<ack_reply>(replies[1]).answer, verdict::already_accepted);
}

TEST_P(batches, two_claims_of_a_batch_do_not_take_the_same) {
    append("a");
    append("b");
    claim_request one = everything("worker");
    one.limit = 1;
    const std::vector<reply> replies = run_all({one, one, one});
    EXPECT_EQ(ids_of(std::get<claim_reply>(replies[0])), std::vector<std::string>{"a"});
    EXPECT_EQ(ids_of(std::get<claim_reply>(replies[1])), std::vector<std::string>{"b"});
    EXPECT_TRUE(std::get<claim_reply>(replies[2]).events.empty());
}

TEST_P(batches, a_function_of_the_application_appends_in_the_transaction) {
    receipt done;
    const std::vector<reply> replies = run_all({transact_request{[&](transaction& open) {
                                                    draft event("billing", "{}");
                                                    event.id = "a";
                                                    done = open.append(event);
                                                }},
                                                everything("worker")});
    EXPECT_TRUE(std::holds_alternative<transact_reply>(replies[0]));
    EXPECT_EQ(done.id, "a");
    EXPECT_EQ(ids_of(std::get<claim_reply>(replies[1])), std::vector<std::string>{"a"});
}

TEST_P(batches, a_function_that_throws_undoes_only_itself) {
    const std::vector<reply> replies =
        run_all({one_draft("before"), transact_request{[](transaction& open) {
                     open.append(draft("billing", "{}"));
                     throw std::runtime_error("out of stock");
                 }},
                 one_draft("after")});
    const failure& failed = std::get<failure>(replies[1]);
    EXPECT_EQ(failed.sentence, "out of stock");
    ASSERT_TRUE(failed.thrown);
    EXPECT_THROW(std::rethrow_exception(failed.thrown), std::runtime_error);
    EXPECT_EQ(subject->list({}).size(), 2U);
    EXPECT_EQ(ids_of(claim()), (std::vector<std::string>{"before", "after"}));
}

TEST_P(batches, a_function_that_throws_what_is_no_exception_undoes_only_itself) {
    const std::vector<reply> replies = run_all({transact_request{[](transaction& open) {
                                                    open.append(draft("billing", "{}"));
                                                    throw 7;
                                                }},
                                                one_draft("after")});
    EXPECT_TRUE(std::holds_alternative<failure>(replies[0]));
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"after"});
}

TEST_P(batches, a_function_that_fails_elsewhere_undoes_only_itself) {
    const std::vector<reply> replies =
        run_all({one_draft("before"), transact_request{[](transaction&) {
                     throw error(errc::busy, "another store, which the function also uses");
                 }}});
    EXPECT_EQ(std::get<failure>(replies[1]).code, errc::busy);
    EXPECT_EQ(ids_of(claim()), std::vector<std::string>{"before"});
}

TEST_P(batches, a_function_may_go_on_after_an_append_that_was_refused) {
    append("a");
    run_all({transact_request{[](transaction& open) {
        draft again("billing", "{}");
        again.id = "a";
        EXPECT_THROW(open.append(again), error);
        again.id = "b";
        open.append(again);
    }}});
    EXPECT_EQ(ids_of(claim()), (std::vector<std::string>{"a", "b"}));
}

TEST_P(batches, nobody_else_has_changed_the_store) {
    subject->changed_outside();
    append("a");
    EXPECT_FALSE(subject->changed_outside()) << "it was us";
}

}  // namespace
}  // namespace leasebox::testing
