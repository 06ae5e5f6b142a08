// Acknowledgments, renewals and operators' acts: everything that has to pass the fence.
#pragma once

#include "leasebox/store.hpp"
#include "sqlite/lanes.hpp"

namespace leasebox::sqlite {

class fences {
public:
    fences(rows& table, lanes& order) : rows_(table), lanes_(order) {}

    ack_reply acknowledge(const ack_request& request, store_time now);
    renew_reply renew(const renew_request& request, store_time now);
    operator_reply act(const operator_request& request, std::int64_t generation, store_time now);

private:
    bool keep_evidence(const work_row& row, const ack_command& command, store_time now);

    rows& rows_;
    lanes& lanes_;
};

}  // namespace leasebox::sqlite
