// What the consumer says of the requests that it handled: lines on stdout, and counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/receive/delivery.hpp"

namespace leasebox::apps {

struct counts {
    std::uint64_t requests = 0;
    std::uint64_t applied = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t stale = 0;
    std::uint64_t failed = 0;
    std::uint64_t dropped = 0;
};

enum class line_form : std::uint8_t { none, text, json };

/// Used on one thread. Nothing of it is seen before flush().
class report {
public:
    explicit report(line_form form) : form_(form) {}

    /// The first line; flushed at once.
    void listening(const std::string& url);
    /// `status` is 0 where nothing is answered.
    void handled(const delivery& what, std::string_view verdict, int status);
    void flush();

    counts& count() noexcept { return counts_; }
    std::string stats() const;

private:
    line_form form_;
    std::string waiting_;
    counts counts_;
};

}  // namespace leasebox::apps
