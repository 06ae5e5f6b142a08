// The events of a memory store: their rows, their ledgers, and the order of their lanes.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leasebox/core/lane_gap.hpp"
#include "leasebox/store.hpp"
#include "testing/append_rules.hpp"

namespace leasebox::testing {

struct memory_event {
    std::int64_t seq = 0;
    std::string id;
    std::string destination;
    std::optional<std::string> key;
    std::optional<std::string> type;
    std::string content_type;
    std::string headers;
    std::string payload;
    store_time appended_at{};
    std::optional<std::size_t> lane;  ///< which of memory_events' lanes
    std::int64_t lane_seq = 0;
    event_row row;
    bool dead_blocks = false;                       ///< of a dead one: its lane waits for it
    std::map<std::int64_t, attempt_record> ledger;  ///< by generation

    /// The row with what the ledger knows about it, as the model wants to see it.
    event_row with_history() const;
    /// Whether later events of the lane must wait for this one.
    bool occupies_lane() const noexcept;
    /// The earliest time at which a claim may take it, lanes left aside.
    store_time due_at() const noexcept;
};

class memory_events {
public:
    explicit memory_events(std::int64_t payload_bytes_max)
        : payload_bytes_max_(payload_bytes_max) {}

    /// Throws leasebox::error: duplicate_id, invalid_event.
    receipt append(const draft& event, store_time now);
    std::size_t size() const noexcept { return all_.size(); }
    /// Removes a settled event and all that is known about it.
    void remove(std::int64_t seq);
    /// Takes back the appends after the first `size` events.
    void undo_appends(std::size_t size);

    memory_event* find(const std::string& id);
    std::deque<memory_event>& all() noexcept { return all_; }

    /// Writes what a command did. `dead_head` says whether a death leaves the lane waiting.
    void save(memory_event& event, const transition& done, on_dead dead_head);

    /// Pending and claimed events that are not behind another one of their lane.
    std::vector<memory_event*> movable();
    /// What the event has to announce about its lane.
    std::string gap_before(const memory_event& event) const;
    std::int64_t lanes_blocked();
    /// The first event of the lane, where that is another one; else null.
    const memory_event* head_before(const memory_event& event);
    std::set<std::string>& paused() noexcept { return paused_; }
    const std::map<std::string, std::int64_t>& pruned_dead() const noexcept { return pruned_; }
    const std::map<cause, std::int64_t>& resends_avoided() const noexcept { return avoided_; }

private:
    std::vector<memory_event*> lane_heads();
    std::deque<memory_event>::iterator at(std::int64_t seq);

    std::int64_t payload_bytes_max_;
    id_source ids_;
    std::deque<memory_event> all_;  ///< by seq
    std::int64_t last_seq_ = 0;     ///< never given out again, whatever is removed
    std::unordered_map<std::string, std::int64_t> by_id_;
    std::map<std::string, std::int64_t> pruned_;  ///< dead events that were removed
    std::map<std::pair<std::string, std::string>, std::size_t> lane_of_;
    std::vector<std::int64_t> last_lane_seq_;  ///< of each lane
    std::map<std::size_t, lane_gap> gaps_;     ///< of lanes
    std::set<std::string> paused_;             ///< destinations
    std::map<cause, std::int64_t> avoided_{{cause::evidence, 0}, {cause::lookup, 0}};
};

}  // namespace leasebox::testing
