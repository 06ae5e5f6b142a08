// The words of the contract and the numbers that stores keep. Neither may ever change.
#include "leasebox/core/words.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "leasebox/core/claim.hpp"

namespace leasebox {
namespace {

template <class Word>
struct spelling {
    Word word;
    int number;
    std::string_view text;
};

constexpr spelling<state> states[] = {
    {state::pending, 1, "pending"},     {state::claimed, 2, "claimed"},
    {state::delivered, 3, "delivered"}, {state::dead, 4, "dead"},
    {state::parked, 5, "parked"},       {state::cancelled, 6, "cancelled"}};

constexpr spelling<outcome> outcomes[] = {
    {outcome::delivered, 1, "delivered"}, {outcome::retry, 2, "retry"},
    {outcome::rejected, 3, "rejected"},   {outcome::uncertain, 4, "uncertain"},
    {outcome::released, 5, "released"},   {outcome::expired, 6, "expired"}};

constexpr spelling<verdict> verdicts[] = {{verdict::accepted, 1, "accepted"},
                                          {verdict::unknown_event, 2, "unknown_event"},
                                          {verdict::stale_generation, 3, "stale_generation"},
                                          {verdict::future_generation, 4, "future_generation"},
                                          {verdict::wrong_owner, 5, "wrong_owner"},
                                          {verdict::already_accepted, 6, "already_accepted"},
                                          {verdict::not_claimed, 7, "not_claimed"},
                                          {verdict::lease_expired, 8, "lease_expired"},
                                          {verdict::renewal_limit, 9, "renewal_limit"},
                                          {verdict::wrong_state, 10, "wrong_state"}};

constexpr spelling<reason> reasons[] = {
    {reason::rejected, 1, "rejected"},   {reason::attempts, 2, "attempts"},
    {reason::lifetime, 3, "lifetime"},   {reason::expiries, 4, "expiries"},
    {reason::uncertain, 5, "uncertain"}, {reason::operator_act, 6, "operator"}};

constexpr spelling<cause> causes[] = {{cause::response, 1, "response"},
                                      {cause::evidence, 2, "evidence"},
                                      {cause::lookup, 3, "lookup"},
                                      {cause::operator_act, 4, "operator"}};

constexpr spelling<phase> phases[] = {{phase::not_started, 0, "not_started"},
                                      {phase::connecting, 1, "connecting"},
                                      {phase::writing, 2, "writing"},
                                      {phase::written, 3, "written"},
                                      {phase::answered, 4, "answered"}};

template <class Table>
void expect_spelled(const Table& table) {
    for (const auto& each : table) {
        EXPECT_EQ(to_string(each.word), each.text);
        EXPECT_EQ(static_cast<int>(each.word), each.number) << each.text;
    }
}

template <class Table>
void expect_printed(const Table& table) {
    for (const auto& each : table) {
        std::ostringstream out;
        out << each.word;
        EXPECT_EQ(out.str(), each.text);
    }
}

TEST(words, each_has_its_text_and_its_number) {
    expect_spelled(states);
    expect_spelled(outcomes);
    expect_spelled(verdicts);
    expect_spelled(reasons);
    expect_spelled(causes);
    expect_spelled(phases);
}

TEST(words, each_is_printed_as_its_text) {
    expect_printed(states);
    expect_printed(outcomes);
    expect_printed(verdicts);
    expect_printed(reasons);
    expect_printed(causes);
}

TEST(words, each_text_is_read_back) {
    for (const auto& each : states)
        EXPECT_EQ(parse_state(each.text), each.word);
    for (const auto& each : outcomes)
        EXPECT_EQ(parse_outcome(each.text), each.word);
    for (const auto& each : reasons)
        EXPECT_EQ(parse_reason(each.text), each.word);
}

TEST(words, other_text_is_no_word) {
    for (const std::string_view text : {"", "Pending", "pending ", " pending", "settled", "1"}) {
        EXPECT_EQ(parse_state(text), std::nullopt) << text;
        EXPECT_EQ(parse_outcome(text), std::nullopt) << text;
        EXPECT_EQ(parse_reason(text), std::nullopt) << text;
    }
}

TEST(words, a_number_that_is_no_word_is_shown_as_such) {
    EXPECT_EQ(to_string(static_cast<state>(0)), "?");
    EXPECT_EQ(to_string(static_cast<verdict>(99)), "?");
    EXPECT_EQ(to_string(static_cast<phase>(99)), "?");
}

TEST(words, delivered_dead_and_cancelled_are_settled) {
    for (const auto& each : states) {
        const bool expected = each.word == state::delivered || each.word == state::dead ||
                              each.word == state::cancelled;
        EXPECT_EQ(is_settled(each.word), expected) << each.text;
    }
}

}  // namespace
}  // namespace leasebox
