// What all connections of one consumer share. Used on one thread.
#pragma once

#include <optional>

#include "apps/receive/batcher.hpp"
#include "leasebox/http/signature.hpp"

namespace leasebox::apps {

enum class mishap : std::uint8_t { none, hang, drop_before_apply, fail, drop_before_response };

struct consumer {
    receive_options options;  ///< the counts of mishaps that are left go down
    report& said;
    batcher& together;
    std::optional<http::verifier> verifier;

    /// What is to go wrong with the next request. One at a time, in the order of the words.
    mishap next_mishap() {
        if (take(options.hang)) return mishap::hang;
        if (take(options.drop_before_apply)) return mishap::drop_before_apply;
        if (take(options.fail)) return mishap::fail;
        if (take(options.drop_before_response)) return mishap::drop_before_response;
        return mishap::none;
    }

private:
    static bool take(int& left) { return left > 0 && left-- > 0; }
};

}  // namespace leasebox::apps
