#include "leasebox/observer.hpp"

namespace leasebox {

std::string_view to_string(occurrence value) noexcept {
    switch (value) {
        case occurrence::started: return "dispatcher started";
        case occurrence::stopping: return "dispatcher stopping";
        case occurrence::stopped: return "dispatcher stopped";
        case occurrence::claimed: return "event claimed";
        case occurrence::expired: return "expired claims closed";
        case occurrence::settled: return "event settled by claim";
        case occurrence::acknowledged: return "attempt ended";
        case occurrence::renewed: return "claim renewed";
        case occurrence::appended: return "events appended";
        case occurrence::sink_failed: return "sink failed";
        case occurrence::store_failed: return "store failed";
        case occurrence::store_recovered: return "store recovered";
        case occurrence::committed: return "transaction committed";
        case occurrence::circuit_opened: return "circuit opened";
        case occurrence::circuit_closed: return "circuit closed";
        case occurrence::destination_paused: return "destination paused";
        case occurrence::pruned: return "old events removed";
    }
    return "?";
}

}  // namespace leasebox
