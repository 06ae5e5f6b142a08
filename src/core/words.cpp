#include "leasebox/core/words.hpp"

#include <array>
#include <utility>

namespace leasebox {
namespace {

template <class Word, std::size_t Count>
using word_table = std::array<std::pair<Word, std::string_view>, Count>;

constexpr word_table<state, 6> states{{{state::pending, "pending"},
                                       {state::claimed, "claimed"},
                                       {state::delivered, "delivered"},
                                       {state::dead, "dead"},
                                       {state::parked, "parked"},
                                       {state::cancelled, "cancelled"}}};

constexpr word_table<outcome, 6> outcomes{{{outcome::delivered, "delivered"},
                                           {outcome::retry, "retry"},
                                           {outcome::rejected, "rejected"},
                                           {outcome::uncertain, "uncertain"},
                                           {outcome::released, "released"},
                                           {outcome::expired, "expired"}}};

constexpr word_table<verdict, 10> verdicts{{{verdict::accepted, "accepted"},
                                            {verdict::unknown_event, "unknown_event"},
                                            {verdict::stale_generation, "stale_generation"},
                                            {verdict::future_generation, "future_generation"},
                                            {verdict::wrong_owner, "wrong_owner"},
                                            {verdict::already_accepted, "already_accepted"},
                                            {verdict::not_claimed, "not_claimed"},
                                            {verdict::lease_expired, "lease_expired"},
                                            {verdict::renewal_limit, "renewal_limit"},
                                            {verdict::wrong_state, "wrong_state"}}};

constexpr word_table<reason, 6> reasons{{{reason::rejected, "rejected"},
                                         {reason::attempts, "attempts"},
                                         {reason::lifetime, "lifetime"},
                                         {reason::expiries, "expiries"},
                                         {reason::uncertain, "uncertain"},
                                         {reason::operator_act, "operator"}}};

constexpr word_table<cause, 4> causes{{{cause::response, "response"},
                                       {cause::evidence, "evidence"},
                                       {cause::lookup, "lookup"},
                                       {cause::operator_act, "operator"}}};

template <class Word, std::size_t Count>
std::string_view text_of(const word_table<Word, Count>& table, Word value) noexcept {
    for (const auto& [word, text] : table) {
        if (word == value) return text;
    }
    return "?";
}

template <class Word, std::size_t Count>
std::optional<Word> word_of(const word_table<Word, Count>& table, std::string_view text) noexcept {
    for (const auto& [word, name] : table) {
        if (name == text) return word;
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(state value) noexcept { return text_of(states, value); }
std::string_view to_string(outcome value) noexcept { return text_of(outcomes, value); }
std::string_view to_string(verdict value) noexcept { return text_of(verdicts, value); }
std::string_view to_string(reason value) noexcept { return text_of(reasons, value); }
std::string_view to_string(cause value) noexcept { return text_of(causes, value); }

std::optional<state> parse_state(std::string_view text) noexcept { return word_of(states, text); }
std::optional<outcome> parse_outcome(std::string_view text) noexcept {
    return word_of(outcomes, text);
}
std::optional<reason> parse_reason(std::string_view text) noexcept {
    return word_of(reasons, text);
}

std::ostream& operator<<(std::ostream& out, state value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, outcome value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, verdict value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, reason value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, cause value) { return out << to_string(value); }

}  // namespace leasebox
