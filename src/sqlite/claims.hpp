// Claiming: which due events to take, fairly over the destinations, and what they are.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "leasebox/store.hpp"
#include "sqlite/lanes.hpp"

namespace leasebox::sqlite {

class claims {
public:
    claims(SQLite::Database& database, rows& table, lanes& order, accounts& counts);

    /// Takes what is due at `now` under `generation`. The generation was spent if anything was
    /// handed out or settled.
    claim_reply take(const claim_request& request, std::int64_t generation, store_time now);

private:
    // One destination in this claim.
    struct turn {
        std::int64_t destination_id = 0;
        std::string name;
        int slots = 0;
        on_dead dead_head = on_dead::block;
        bool exhausted = false;
    };
    // One claim as it is being made.
    struct round {
        const claim_request& request;
        std::int64_t generation;
        store_time now;
        claim_reply reply;
        int left = 0;
        int rows_left = 0;  ///< bounds the transaction where events die instead of being taken
    };
    // By names that the request owns: a dispatcher may serve thousands, and copies would cost more
    // than the claim.
    using quotas = std::unordered_map<std::string_view, const destination_quota*>;

    std::vector<turn> due_destinations(const round& open, const quotas& served);
    std::vector<turn> scan_from_rotor(const round& open, const quotas& served);
    std::vector<turn> scan(SQLite::Statement& query, const round& open, const quotas& served,
                           std::size_t enough);
    void share_out(round& open, std::vector<turn>& turns);
    void take_some(round& open, turn& from, int count);
    void take_suspect(round& open, std::vector<turn>& turns);
    std::vector<std::int64_t> due_rows(std::int64_t destination_id, due_class which,
                                       store_time now, int count);
    void take_row(round& open, turn& from, std::int64_t seq);
    bool leave_suspect(round& open, const work_row& row);
    void hand_out(round& open, const turn& from, const work_row& row, const event_row& taken);
    std::optional<store_time> next_due(const round& open, const quotas& served,
                                       const std::vector<turn>& turns);

    rows& rows_;
    lanes& lanes_;
    accounts& accounts_;
    std::int64_t rotor_ = 0;  ///< the last destination that had its turn when not all could
    SQLite::Statement due_destinations_;
    SQLite::Statement after_rotor_;
    SQLite::Statement due_rows_;
    SQLite::Statement event_;
    SQLite::Statement next_due_;
};

}  // namespace leasebox::sqlite
