// What an attempt's end means for the event: the outcome table, as one pure function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leasebox/sink.hpp"

namespace leasebox::http {

/// How far an attempt got, filled in while it runs.
struct progress {
    phase reached = phase::not_started;
    std::int64_t bytes_written = 0;
    int status = 0;           ///< of a complete answer head; 0 = none
    std::string retry_after;  ///< the header's value
    std::string location;     ///< the header's value
    std::string excerpt;      ///< the beginning of the answer's body
    std::string trouble;      ///< why there is no answer: a sentence for a person
    bool unsendable = false;  ///< the event can't be written as a request, ever
    bool exhausted = false;   ///< this host lacked a resource, the consumer has no part in it
    bool stopped = false;     ///< ended from outside before its deadline
};

/// `now` is what dates in Retry-After are compared with.
delivery classify(const progress& end, const std::vector<int>& reject_statuses, store_time now);

}  // namespace leasebox::http
