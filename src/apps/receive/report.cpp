#include "apps/receive/report.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <optional>

#include "leasebox/core/text.hpp"

namespace leasebox::apps {

namespace json = boost::json;

namespace {

template <class Value>
json::value or_null(const std::optional<Value>& value) {
    return value ? json::value(*value) : json::value(nullptr);
}

std::string json_line(const delivery& what, std::string_view verdict, int status) {
    json::object line;
    line["id"] = what.id.empty() ? json::value(nullptr) : json::value(what.id);
    line["generation"] = or_null(what.generation);
    line["attempt"] = or_null(what.attempt);
    line["key"] = or_null(what.key);
    line["lane_seq"] = or_null(what.lane_seq);
    line["verdict"] = json::string_view(verdict.data(), verdict.size());
    line["status"] = status == 0 ? json::value(nullptr) : json::value(status);
    return json::serialize(line);
}

std::string number_or_dash(const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "-";
}

std::string text_line(const delivery& what, std::string_view verdict, int status) {
    std::string line(verdict);
    line += " " + (what.id.empty() ? "-" : clean_detail(what.id));
    line += " generation " + number_or_dash(what.generation);
    line += " attempt " + number_or_dash(what.attempt);
    line += status == 0 ? ": no answer" : ": " + std::to_string(status);
    return line;
}

}  // namespace

void report::listening(const std::string& url) {
    if (form_ == line_form::json) {
        waiting_ += json::serialize(json::object{{"url", url}}) + "\n";
    } else {
        waiting_ += "listening on " + url + "\n";
    }
    flush();
}

void report::handled(const delivery& what, std::string_view verdict, int status) {
    if (form_ == line_form::none) return;
    waiting_ += form_ == line_form::json ? json_line(what, verdict, status)
                                         : text_line(what, verdict, status);
    waiting_ += '\n';
}

void report::flush() {
    if (waiting_.empty()) return;
    std::cout << waiting_ << std::flush;
    waiting_.clear();
}

std::string report::stats() const {
    json::object shape;
    shape["requests"] = counts_.requests;
    shape["applied"] = counts_.applied;
    shape["duplicates"] = counts_.duplicates;
    shape["conflicts"] = counts_.conflicts;
    shape["stale"] = counts_.stale;
    shape["failed"] = counts_.failed;
    shape["dropped"] = counts_.dropped;
    return json::serialize(shape);
}

}  // namespace leasebox::apps
