#include "http/classify.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "http/retry_after.hpp"
#include "leasebox/core/text.hpp"

namespace leasebox::http {
namespace {

constexpr int conflict = 409;
constexpr int gone = 410;
constexpr int payload_too_large = 413;
constexpr int too_many_requests = 429;
constexpr int service_unavailable = 503;

bool is_success(int status) {
    return status >= 200 && status < 300;
}
bool is_redirect(int status) {
    return status >= 300 && status < 400;
}

// Only the host, since the rest of a location may hold secrets of the consumer.
std::string redirect_sentence(const std::string& location) {
    const auto url = boost::urls::parse_uri_reference(location);
    std::string sentence = ": redirects are not followed";
    if (url && url->has_authority()) sentence += " (to " + url->host() + ")";
    return sentence;
}

std::string answer_sentence(const progress& end) {
    std::string sentence = "HTTP " + std::to_string(end.status);
    if (is_redirect(end.status)) sentence += redirect_sentence(end.location);
    if (!is_success(end.status) && !end.excerpt.empty()) sentence += ": " + end.excerpt;
    return sentence;
}

outcome outcome_of(int status, const std::vector<int>& reject_statuses) {
    if (is_success(status)) return outcome::delivered;
    const bool listed =
        std::find(reject_statuses.begin(), reject_statuses.end(), status) != reject_statuses.end();
    const bool final = status == gone || status == payload_too_large;
    return listed || final ? outcome::rejected : outcome::retry;
}

delivery of_answer(const progress& end, const std::vector<int>& reject_statuses, store_time now) {
    delivery said(outcome_of(end.status, reject_statuses), answer_sentence(end));
    if (said.what.result == outcome::retry) {
        said.retry_after = parse_retry_after(end.retry_after, now);
        const bool throttled = end.status == too_many_requests || end.status == service_unavailable;
        said.hold_destination = throttled && said.retry_after.has_value();
        said.soon = end.status == conflict;
    }
    said.gone = end.status == gone;
    return said;
}

outcome outcome_without_answer(const progress& end) {
    if (end.reached >= phase::writing) return outcome::uncertain;
    if (end.unsendable) return outcome::rejected;
    return end.exhausted || end.stopped ? outcome::released : outcome::retry;
}

}  // namespace

delivery classify(const progress& end, const std::vector<int>& reject_statuses, store_time now) {
    delivery said = end.status != 0 ? of_answer(end, reject_statuses, now)
                                    : delivery(outcome_without_answer(end), end.trouble);
    said.what.detail = clean_detail(said.what.detail);
    said.what.http_status = end.status;
    said.what.reached = end.status != 0 ? phase::answered : end.reached;
    said.what.bytes_written = end.bytes_written;
    return said;
}

}  // namespace leasebox::http
