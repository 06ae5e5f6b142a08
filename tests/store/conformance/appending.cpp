#include <set>

#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(appending);

TEST_P(appending, an_append_is_pending_at_once) {
    const receipt done = append("a");
    EXPECT_EQ(done.id, "a");
    EXPECT_GT(done.seq, 0);
    const event_row fresh = row("a");
    EXPECT_EQ(fresh.at, state::pending);
    EXPECT_EQ(fresh.attempts, 0);
    EXPECT_EQ(fresh.not_before, subject->now());
    EXPECT_EQ(fresh.budget_from, subject->now());
}

TEST_P(appending, receipts_come_in_the_order_of_the_drafts) {
    append_request three;
    for (const char* id : {"a", "b", "c"}) {
        three.drafts.emplace_back("billing", "{}");
        three.drafts.back().id = id;
    }
    const append_reply done = run<append_reply>(three);
    ASSERT_EQ(done.receipts.size(), 3U);
    EXPECT_EQ(done.receipts[0].id, "a");
    EXPECT_EQ(done.receipts[2].id, "c");
    EXPECT_LT(done.receipts[0].seq, done.receipts[1].seq);
    EXPECT_LT(done.receipts[1].seq, done.receipts[2].seq);
}

TEST_P(appending, a_new_id_is_a_time_ordered_uuid) {
    const std::string first = append(draft("billing", "{}")).id;
    time.advance(1ms);
    const std::string second = append(draft("billing", "{}")).id;
    for (const std::string& id : {first, second}) {
        ASSERT_EQ(id.size(), 36U) << id;
        EXPECT_EQ(id[8], '-') << id;
        EXPECT_EQ(id[13], '-') << id;
        EXPECT_EQ(id[14], '7') << id;
        EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos) << id;
        EXPECT_EQ(id.find_first_not_of("0123456789abcdef-"), std::string::npos) << id;
    }
    EXPECT_LT(first, second);
}

TEST_P(appending, a_thousand_new_ids_in_one_millisecond_are_different) {
    append_request many;
    for (int n = 0; n < 1000; ++n)
        many.drafts.emplace_back("billing", "{}");
    std::set<std::string> ids;
    for (const receipt& each : run<append_reply>(many).receipts)
        ids.insert(each.id);
    EXPECT_EQ(ids.size(), 1000U);
}

TEST_P(appending, a_delay_and_a_lifetime_count_from_the_append) {
    time.advance(1h);
    draft event("billing", "{}");
    event.id = "a";
    event.delay = 10s;
    event.lifetime = 1min;
    append(event);
    EXPECT_EQ(row("a").not_before, subject->now() + 10s);
    EXPECT_EQ(row("a").budget_from, subject->now() + 10s);
    EXPECT_EQ(row("a").deadline, subject->now() + 1min);
}

TEST_P(appending, a_used_id_is_refused_also_after_the_event_is_settled) {
    append("a");
    draft again("mail", "{}");
    again.id = "a";
    EXPECT_EQ(append_failing(again).code, errc::duplicate_id);
    ack(claim_one().key, outcome::delivered);
    EXPECT_EQ(append_failing(again).code, errc::duplicate_id);
    EXPECT_EQ(status("a").destination, "billing");
}

TEST_P(appending, an_id_twice_in_one_append_is_refused_with_all_of_it) {
    append_request twice;
    for (int n = 0; n < 2; ++n) {
        twice.drafts.emplace_back("billing", "{}");
        twice.drafts.back().id = "a";
    }
    EXPECT_EQ(run<failure>(twice).code, errc::duplicate_id);
    EXPECT_EQ(subject->status("a"), std::nullopt);
}

TEST_P(appending, an_append_is_all_or_nothing) {
    append_request mixed;
    mixed.drafts.emplace_back("billing", "{}");
    mixed.drafts.back().id = "good";
    mixed.drafts.back().key = "k";
    mixed.drafts.emplace_back("no such name!", "{}");
    EXPECT_EQ(run<failure>(mixed).code, errc::invalid_event);
    EXPECT_EQ(subject->status("good"), std::nullopt);
    EXPECT_TRUE(subject->list({}).empty());
    append_keyed("a", "k");
    EXPECT_EQ(claim_one().lane_seq, 1) << "the number that was taken back is given out again";
}

TEST_P(appending, an_empty_append_is_nothing) {
    EXPECT_TRUE(run<append_reply>(append_request{}).receipts.empty());
}

TEST_P(appending, an_empty_payload_is_a_payload) {
    append(draft("billing", ""));
    EXPECT_EQ(claim_one().payload, "");
}

TEST_P(appending, headers_are_handed_out_as_json_whatever_they_say) {
    draft event("billing", "{}");
    event.headers = {{"a", "says \"hi\" \\ there"}, {"traceparent", "00-ab-cd-01"}};
    append(event);
    EXPECT_EQ(claim_one().headers, R"({"a":"says \"hi\" \\ there","traceparent":"00-ab-cd-01"})");
}

}  // namespace
}  // namespace leasebox::testing
