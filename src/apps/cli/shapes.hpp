// The JSON of the contract, made from what the store says.
#pragma once

#include <boost/json/object.hpp>

#include "leasebox/store.hpp"

namespace leasebox::apps {

/// The columns of leasebox_status, and the payload's size.
boost::json::object shape_of(const event_status& event);
/// The columns of leasebox_attempts.
boost::json::object shape_of(const std::string& id, const attempt_record& attempt);
boost::json::object shape_of(const store_stats& stats);
boost::json::object shape_of(const claimed_event& event);
boost::json::object shape_of(const holder& current);

/// The age of the oldest pending event of all destinations, in seconds; 0 where there is none.
double oldest_pending_seconds(const store_stats& stats);

}  // namespace leasebox::apps
