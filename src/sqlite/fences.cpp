#include "sqlite/fences.hpp"

namespace leasebox::sqlite {
namespace {

// Who holds the event now, where that is another claim than the one that was refused.
std::optional<holder> other_holder(const work_row& row, const claim_key& key) {
    if (row.event.at != state::claimed || row.event.generation == key.generation) {
        return std::nullopt;
    }
    return holder{row.event.owner, row.event.generation, row.event.claimed_at};
}

bool may_be_evidence(verdict answer) noexcept {
    return answer == verdict::stale_generation || answer == verdict::lease_expired ||
           answer == verdict::not_claimed;
}

}  // namespace

ack_reply fences::acknowledge(const ack_request& request, store_time now) {
    ack_reply reply;
    reply.now = now;
    std::optional<work_row> row = rows_.find(request.command.key.id);
    if (!row) {
        reply.answer = verdict::unknown_event;
        return reply;
    }
    if (row->event.uncertain) rows_.add_history(*row);
    const transition done = apply_ack(row->event, request.command, request.limits, now);
    reply.answer = done.answer;
    reply.at = done.row.at;
    reply.why = done.row.why;
    if (done.accepted()) {
        lanes_.replace(*row, *row, done, &request.limits, request.dead_head);
    } else {
        reply.current = other_holder(*row, request.command.key);
        reply.evidence_kept =
            may_be_evidence(done.answer) && keep_evidence(*row, request.command, now);
    }
    return reply;
}

bool fences::keep_evidence(const work_row& row, const ack_command& command, store_time now) {
    const auto record = rows_.attempt(row.seq, command.key.generation);
    const auto next = apply_evidence(row.event, record, command.key, command.what, now);
    if (next) rows_.save_attempt(row.seq, *next);
    return next.has_value();
}

renew_reply fences::renew(const renew_request& request, store_time now) {
    renew_reply reply;
    reply.now = now;
    const std::optional<work_row> row = rows_.find(request.command.key.id);
    if (!row) {
        reply.answer = verdict::unknown_event;
        return reply;
    }
    const transition done = apply_renew(row->event, request.command, request.limits, now);
    reply.answer = done.answer;
    reply.lease_until = done.row.lease_until;
    if (done.accepted()) {
        lanes_.replace(*row, *row, done, &request.limits, on_dead::block);
    } else {
        reply.current = other_holder(*row, request.command.key);
    }
    return reply;
}

operator_reply fences::act(const operator_request& request, std::int64_t generation,
                           store_time now) {
    operator_reply reply;
    std::optional<work_row> row = rows_.find(request.id);
    if (!row) {
        reply.answer = verdict::unknown_event;
        return reply;
    }
    rows_.add_history(*row);
    operator_command command;
    command.act = request.act;
    command.generation = generation;
    command.include_delivered = request.include_delivered;
    const transition done = apply_operator(row->event, command, now);
    reply.answer = done.answer;
    reply.at = done.row.at;
    if (done.accepted()) lanes_.replace(*row, *row, done, nullptr, request.dead_head);
    return reply;
}

}  // namespace leasebox::sqlite
