#include "leasebox/log/observer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <string>

#include "leasebox/core/text.hpp"

namespace leasebox::log {
namespace {

spdlog::level::level_enum level_of(severity level) noexcept {
    switch (level) {
        case severity::debug: return spdlog::level::debug;
        case severity::info: return spdlog::level::info;
        case severity::warning: return spdlog::level::warn;
        case severity::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

// Collects the fields of one line in either style. Strings from outside are cleaned, so that no
// line can hold a control character or end early.
class line {
public:
    line(style how, std::string_view message) : json_(how == style::json) {
        if (json_) {
            text_ = "\"msg\":" + quoted(message);
        } else {
            text_ = message;
        }
    }

    void text(std::string_view name, std::string_view value) {
        if (value.empty()) return;
        const std::string clean = clean_detail(value);
        json_ ? append(name, quoted(clean))
              : append(name, clean.find(' ') == std::string::npos ? clean : quoted(clean));
    }
    void number(std::string_view name, std::int64_t value) { append(name, std::to_string(value)); }
    void milliseconds(std::string_view name, std::chrono::nanoseconds value) {
        append(name, fmt::format("{:.3f}", static_cast<double>(value.count()) / 1e6));
    }
    template <class Word>
    void word(std::string_view name, const std::optional<Word>& value) {
        if (value) text(name, to_string(*value));
    }

    const std::string& done() const { return text_; }

private:
    static std::string quoted(std::string_view value) {
        return boost::json::serialize(boost::json::string_view(value.data(), value.size()));
    }
    void append(std::string_view name, std::string_view value) {
        text_.append(json_ ? ",\"" : " ").append(name).append(json_ ? "\":" : "=").append(value);
    }

    bool json_;
    std::string text_;
};

std::string format(style how, const record& what) {
    line out(how, to_string(what.what));
    out.text("id", what.event);
    out.text("destination", what.destination);
    out.text("key", what.key);
    if (!what.event.empty()) {
        out.number("generation", what.generation);
        out.number("attempt", what.attempt);
    }
    out.text("owner", what.owner);
    out.word("outcome", what.result);
    out.word("verdict", what.answer);
    if (what.current_generation != 0) out.number("current_generation", what.current_generation);
    if (what.evidence_kept) out.text("evidence", "kept");
    out.word("state", what.at);
    out.word("reason", what.why);
    out.word("cause", what.how);
    if (what.http_status != 0) out.number("status", what.http_status);
    if (what.took) out.milliseconds("duration_ms", *what.took);
    if (what.count != 1) out.number("count", what.count);
    out.text("error", what.detail);
    return out.done();
}

class spdlog_observer final : public observer {
public:
    spdlog_observer(std::shared_ptr<spdlog::logger> to, style how)
        : logger_(std::move(to)), style_(how) {}

    void on(const record& what) noexcept override {
        const auto level = level_of(what.level);
        if (!logger_->should_log(level)) return;
        try {
            logger_->log(level, spdlog::string_view_t(format(style_, what)));
        } catch (...) {
            // A line that can't be written must not disturb what it is about.
        }
    }

private:
    const std::shared_ptr<spdlog::logger> logger_;
    const style style_;
};

class json_formatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& what, spdlog::memory_buf_t& out) override {
        const auto since = what.time.time_since_epoch();
        const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
        const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(since - whole);
        fmt::format_to(std::back_inserter(out), "{{\"ts\":\"{:%Y-%m-%dT%H:%M:%S}.{:03}Z\"",
                       fmt::gmtime(static_cast<std::time_t>(whole.count())), rest.count());
        const auto level = spdlog::level::to_string_view(what.level);
        fmt::format_to(std::back_inserter(out), ",\"level\":\"{}\",{}}}\n",
                       std::string_view(level.data(), level.size()),
                       std::string_view(what.payload.data(), what.payload.size()));
    }
    std::unique_ptr<spdlog::formatter> clone() const override { return make_json_formatter(); }
};

}  // namespace

std::shared_ptr<observer> make_observer(std::shared_ptr<spdlog::logger> to, style how) {
    return std::make_shared<spdlog_observer>(std::move(to), how);
}

std::unique_ptr<spdlog::formatter> make_json_formatter() {
    return std::make_unique<json_formatter>();
}

}  // namespace leasebox::log
