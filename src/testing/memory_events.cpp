#include "testing/memory_events.hpp"

#include <algorithm>

namespace leasebox::testing {

event_row memory_event::with_history() const {
    event_row known = row;
    known.recorded = ledger.count(row.generation) != 0;
    known.evidence_generation = 0;
    for (const auto& [generation, record] : ledger) {
        const bool counts = generation > row.evidence_floor;
        if (counts && record.late && record.result == outcome::delivered) {
            known.evidence_generation = generation;
        }
    }
    return known;
}

bool memory_event::occupies_lane() const noexcept {
    switch (row.at) {
        case state::pending:
        case state::claimed:
        case state::parked:
            return true;
        case state::dead:
            return dead_blocks;
        case state::delivered:
        case state::cancelled:
            return false;
    }
    return false;
}

store_time memory_event::due_at() const noexcept {
    return row.at == state::claimed ? row.lease_until : row.not_before;
}

receipt memory_events::append(const draft& event, store_time now) {
    memory_event next;
    next.headers = headers_json(event);
    check_rules(event, next.headers, payload_bytes_max_);
    next.id = event.id.empty() ? ids_.next(now) : event.id;
    if (by_id_.count(next.id) != 0) throw error(errc::duplicate_id, "leasebox: id: already used");
    next.seq = ++last_seq_;
    next.destination = event.destination;
    next.key = event.key;
    next.type = event.type;
    next.content_type = event.content_type;
    next.payload = event.payload;
    next.appended_at = now;
    next.row.not_before = later(now, event.delay);
    next.row.budget_from = next.row.not_before;
    if (event.lifetime) next.row.deadline = later(now, *event.lifetime);
    next.row.attempts_max = event.attempts_max;
    if (event.key) {
        const auto [at, is_new] =
            lane_of_.try_emplace({event.destination, *event.key}, last_lane_seq_.size());
        if (is_new) last_lane_seq_.push_back(0);
        next.lane = at->second;
        next.lane_seq = ++last_lane_seq_[at->second];
    }
    by_id_.emplace(next.id, next.seq);
    all_.push_back(std::move(next));
    return {all_.back().id, all_.back().seq};
}

void memory_events::undo_appends(std::size_t size) {
    while (all_.size() > size) {
        const memory_event& last = all_.back();
        if (last.lane) last_lane_seq_[*last.lane] -= 1;
        by_id_.erase(last.id);
        last_seq_ -= 1;
        all_.pop_back();
    }
}

memory_event* memory_events::find(const std::string& id) {
    const auto known = by_id_.find(id);
    return known == by_id_.end() ? nullptr : &*at(known->second);
}

std::deque<memory_event>::iterator memory_events::at(std::int64_t seq) {
    return std::lower_bound(
        all_.begin(), all_.end(), seq,
        [](const memory_event& event, std::int64_t wanted) { return event.seq < wanted; });
}

void memory_events::remove(std::int64_t seq) {
    const auto gone = at(seq);
    if (gone->row.at == state::dead) pruned_[gone->destination] += 1;
    by_id_.erase(gone->id);
    all_.erase(gone);
}

void memory_events::save(memory_event& event, const transition& done, on_dead dead_head) {
    const bool moved = event.row.at != done.row.at;
    const bool occupied = event.occupies_lane();
    event.row = done.row;
    if (moved && done.row.at == state::dead) event.dead_blocks = dead_head == on_dead::block;
    if (moved && done.row.at == state::delivered && done.row.how) {
        const auto avoided = avoided_.find(*done.row.how);
        if (avoided != avoided_.end()) avoided->second += 1;
    }
    if (event.lane) {
        gaps_[*event.lane].moved(event.lane_seq, occupied, event.occupies_lane(), event.row.at);
    }
    if (done.closed) event.ledger[done.closed->generation] = *done.closed;
}

std::string memory_events::gap_before(const memory_event& event) const {
    const auto at = event.lane ? gaps_.find(*event.lane) : gaps_.end();
    return at == gaps_.end() ? std::string() : at->second.before(event.lane_seq);
}

// A claimed event is the head until its claim ends, even where an older one came back (a replay).
std::vector<memory_event*> memory_events::lane_heads() {
    std::vector<memory_event*> heads(last_lane_seq_.size(), nullptr);
    for (memory_event& each : all_) {
        if (!each.lane || !each.occupies_lane()) continue;
        memory_event*& head = heads[*each.lane];
        if (head == nullptr || each.row.at == state::claimed) head = &each;
    }
    return heads;
}

std::vector<memory_event*> memory_events::movable() {
    const std::vector<memory_event*> heads = lane_heads();
    std::vector<memory_event*> found;
    for (memory_event& each : all_) {
        const bool open = (each.row.at == state::pending || each.row.at == state::claimed) &&
                          paused_.count(each.destination) == 0;
        if (open && (!each.lane || heads[*each.lane] == &each)) found.push_back(&each);
    }
    return found;
}

const memory_event* memory_events::head_before(const memory_event& event) {
    if (!event.lane) return nullptr;
    const memory_event* head = lane_heads()[*event.lane];
    return head == &event ? nullptr : head;
}

std::int64_t memory_events::lanes_blocked() {
    const std::vector<memory_event*> heads = lane_heads();
    return std::count_if(heads.begin(), heads.end(), [](const memory_event* head) {
        return head != nullptr && (head->row.at == state::dead || head->row.at == state::parked);
    });
}

}  // namespace leasebox::testing
