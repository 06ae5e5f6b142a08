// The HTTP sink: POSTs events to a URL, signed, inside limits.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leasebox/clock.hpp"
#include "leasebox/sink.hpp"

namespace leasebox::http {

/// How one destination is reached. Checked by make_sink.
struct destination_options {
    /// `http` or `https`, without user, password, fragment and zone id.
    std::string url;

    /// Secrets for Standard Webhooks: `whsec_…` (24 to 64 bytes) or `whsk_…`; at most 8. The first
    /// signs first, all are sent, so that they can be rotated. None: requests are not signed.
    std::vector<std::string> secrets;

    /// Allow loopback, private, link-local and metadata addresses. Else they are refused, by
    /// the address that is dialled, however it was written or resolved.
    bool allow_private = false;

    /// Allow loopback addresses only.
    bool allow_loopback = false;

    /// Statuses that mean "never": the event is dead, not retried. 300 to 599; 413 always does.
    std::vector<int> reject_statuses;

    /// Send once more, at once and on a fresh connection, where a kept connection was closed by
    /// the peer before any byte of the answer. It may double a request, so that it belongs to
    /// `on_uncertain = resend` only; without it such an attempt is uncertain.
    bool resend_stale = true;

    /// Certificates (PEM) to trust beside the system's; empty: none.
    std::string ca_file;

    // Performance.
    int connections_idle_max = 8;                     ///< kept open while idle; 1 to 1,000
    milliseconds idle_max = std::chrono::seconds{4};  ///< an idle one is kept; 1 ms to 1 h.
                                                      ///< Shorter than the consumer keeps it
    milliseconds connection_age_max = std::chrono::minutes{5};  ///< then its name is resolved
                                                                ///< again; 1 s to 24 h
};

/// Resolves a name to all its addresses; called on threads of the context, may block. Throws
/// boost::system::system_error where it can't.
using name_lookup = std::function<std::vector<boost::asio::ip::address>(const std::string& name)>;

class context_parts;
class context;

/// Makes the sink of one destination. Throws leasebox::error(invalid_option) that names the
/// field; secrets and the URL are never shown.
///
/// A sink belongs to one dispatcher: deliver() and close() run on its strand, and the sink must
/// be closed or destroyed before the context of that strand. deliver() never throws; it ends
/// soon after terminal cancellation, which the dispatcher sends at the deadline.
std::shared_ptr<sink> make_sink(std::shared_ptr<context> shared, destination_options options);

/// What all HTTP sinks of a program share: threads that resolve names, and trusted certificates.
/// Safe from any thread.
class context {
public:
    /// `time` must outlive the context and its sinks. `lookup`: empty means the host's resolver.
    explicit context(clock& time, name_lookup lookup = {});
    /// Does not wait for lookups that hang.
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

private:
    friend std::shared_ptr<sink> make_sink(std::shared_ptr<context>, destination_options);
    std::shared_ptr<context_parts> parts_;
};

}  // namespace leasebox::http
