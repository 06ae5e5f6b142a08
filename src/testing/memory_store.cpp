#include "leasebox/testing/memory_store.hpp"

#include "testing/memory_claim.hpp"
#include "testing/memory_events.hpp"
#include "testing/memory_prune.hpp"
#include "testing/memory_reads.hpp"

namespace leasebox::testing {
namespace {

constexpr std::int64_t generation_block = 1024;

// Who holds the event now, where that is another claim than the one that was refused.
std::optional<holder> other_holder(const event_row& row, const claim_key& key) {
    if (row.at != state::claimed || row.generation == key.generation) return std::nullopt;
    return holder{row.owner, row.generation, row.claimed_at};
}

bool may_be_evidence(verdict answer) noexcept {
    return answer == verdict::stale_generation || answer == verdict::lease_expired ||
           answer == verdict::not_claimed;
}

bool keep_evidence(memory_event& event, const ack_command& command, store_time now) {
    const auto found = event.ledger.find(command.key.generation);
    const std::optional<attempt_record> record =
        found == event.ledger.end() ? std::nullopt : std::optional(found->second);
    const auto next = apply_evidence(event.row, record, command.key, command.what, now);
    if (next) event.ledger[next->generation] = *next;
    return next.has_value();
}

// What a function of the application may do while its transaction is open.
class open_transaction final : public transaction {
public:
    open_transaction(memory_events& events, store_time now) : events_(events), now_(now) {}
    receipt append(const draft& event) override { return events_.append(event, now_); }

private:
    memory_events& events_;
    store_time now_;
};

failure failure_of(std::exception_ptr thrown) {
    failure failed;
    failed.thrown = thrown;
    failed.code = make_error_code(errc::store_failed);
    try {
        std::rethrow_exception(thrown);
    } catch (const error& known) {
        failed.code = known.code();
        failed.sentence = known.sentence();
    } catch (const std::exception& other) {
        failed.sentence = other.what();
    } catch (...) {
        failed.sentence = "an unknown exception";
    }
    return failed;
}

}  // namespace

struct memory_store::parts {
    parts(clock& clock, const memory_options& how) : time(clock), events(how.payload_bytes_max) {}

    store_time read_time(const clock_reading& reading);
    void begin();

    reply operator()(const ack_request& request);
    reply operator()(const renew_request& request);
    reply operator()(const claim_request& request);
    reply operator()(const append_request& request);
    reply operator()(const transact_request& request);
    reply operator()(const pause_request& request);
    reply operator()(const operator_request& request);
    template <class Function>
    reply undo_on_throw(Function function);

    clock& time;
    clock_mark mark;
    memory_events events;
    std::int64_t generation = 0;  ///< the last one given out
    std::string rotor;
    store_time now{};  ///< of the open transaction
};

// After a reboot nobody has said where this host's clock stood at the mark: it is taken to be
// where it was when the mark was first seen again, so that time does not stand still.
store_time memory_store::parts::read_time(const clock_reading& reading) {
    if (!mark.boot || mark.boot_id != reading.boot_id) {
        mark.boot = reading.boot;
        mark.boot_id = reading.boot_id;
    }
    return read_store_time(mark, reading);
}

void memory_store::parts::begin() {
    const clock_reading reading = time.read();
    now = read_time(reading);
    mark = {now, reading.boot, std::string(reading.boot_id)};
}

reply memory_store::parts::operator()(const ack_request& request) {
    ack_reply answer;
    answer.now = now;
    memory_event* event = events.find(request.command.key.id);
    if (event == nullptr) {
        answer.answer = verdict::unknown_event;
        return answer;
    }
    const transition done = apply_ack(event->with_history(), request.command, request.limits, now);
    answer.answer = done.answer;
    answer.at = done.row.at;
    answer.why = done.row.why;
    if (done.accepted()) {
        events.save(*event, done, request.dead_head);
        return answer;
    }
    answer.current = other_holder(event->row, request.command.key);
    answer.evidence_kept =
        may_be_evidence(done.answer) && keep_evidence(*event, request.command, now);
    return answer;
}

reply memory_store::parts::operator()(const renew_request& request) {
    renew_reply answer;
    answer.now = now;
    memory_event* event = events.find(request.command.key.id);
    if (event == nullptr) {
        answer.answer = verdict::unknown_event;
        return answer;
    }
    const transition done =
        apply_renew(event->with_history(), request.command, request.limits, now);
    answer.answer = done.answer;
    answer.lease_until = done.row.lease_until;
    if (done.accepted()) {
        events.save(*event, done, on_dead::block);
    } else {
        answer.current = other_holder(event->row, request.command.key);
    }
    return answer;
}

reply memory_store::parts::operator()(const claim_request& request) {
    memory_claim claim(events, request, generation + 1, now, rotor);
    claim_reply taken = claim.take();
    if (!taken.events.empty() || !taken.settled.empty()) generation += 1;
    return taken;
}

reply memory_store::parts::operator()(const append_request& request) {
    return undo_on_throw([&]() -> reply {
        append_reply done;
        for (const draft& each : request.drafts)
            done.receipts.push_back(events.append(each, now));
        return done;
    });
}

reply memory_store::parts::operator()(const transact_request& request) {
    return undo_on_throw([&]() -> reply {
        open_transaction open(events, now);
        request.run(open);
        return transact_reply{};
    });
}

reply memory_store::parts::operator()(const operator_request& request) {
    memory_event* event = events.find(request.id);
    if (event == nullptr) return operator_reply{verdict::unknown_event, state::pending};
    const operator_command command{request.act, generation + 1, request.include_delivered};
    const transition done = apply_operator(event->with_history(), command, now);
    if (done.accepted()) {
        generation += 1;
        events.save(*event, done, request.dead_head);
    }
    return operator_reply{done.answer, done.row.at};
}

// Appends are all that these operations can do to a store.
template <class Function>
reply memory_store::parts::undo_on_throw(Function function) {
    const std::size_t size = events.size();
    try {
        return function();
    } catch (...) {
        events.undo_appends(size);
        return failure_of(std::current_exception());
    }
}

memory_store::memory_store(clock& clock, const memory_options& how)
    : parts_(std::make_unique<parts>(clock, how)) {}

memory_store::~memory_store() = default;

std::vector<reply> memory_store::commit(std::span<const operation> batch) {
    parts_->begin();
    std::vector<reply> replies;
    replies.reserve(batch.size());
    for (const operation& each : batch)
        replies.push_back(std::visit(*parts_, each));
    return replies;
}

void memory_store::raise_generation_floor() {
    parts_->begin();
    parts_->generation += generation_block;
}

prune_result memory_store::prune(const prune_request& request) {
    parts_->begin();
    return prune_events(parts_->events, request, parts_->now);
}

reply memory_store::parts::operator()(const pause_request& request) {
    if (request.paused) {
        events.paused().insert(request.destination);
    } else {
        events.paused().erase(request.destination);
    }
    return pause_reply{};
}

std::optional<explanation> memory_store::explain(const std::string& id) {
    const memory_event* event = parts_->events.find(id);
    if (event == nullptr) return std::nullopt;
    surroundings around;
    around.destination_paused = parts_->events.paused().count(event->destination) != 0;
    if (const memory_event* head = parts_->events.head_before(*event)) {
        around.head_id = head->id;
        around.head = head->row;
    }
    return leasebox::explain(event->row, around, now());
}

store_time memory_store::now() {
    return parts_->read_time(parts_->time.read());
}

std::optional<event_status> memory_store::status(const std::string& id) {
    return status_of(parts_->events, id);
}

std::vector<attempt_record> memory_store::attempts(const std::string& id) {
    return attempts_of(parts_->events, id);
}

std::vector<event_status> memory_store::list(const list_filter& filter) {
    return list_of(parts_->events, filter);
}

store_stats memory_store::stats() {
    store_stats all = stats_of(parts_->events);
    all.now = now();
    return all;
}

}  // namespace leasebox::testing
