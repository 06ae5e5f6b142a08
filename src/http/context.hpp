// The inside of a context, shared by the sinks.
#pragma once

#include <mutex>

#include "http/resolver.hpp"
#include "http/tls.hpp"

namespace leasebox::http {

class context_parts {
public:
    context_parts(clock& time, name_lookup lookup)
        : time_(time), names_(time, std::move(lookup), resolver_limits()) {}

    clock& time() noexcept { return time_; }
    resolver& names() noexcept { return names_; }

    /// The system's authorities are read when the first secure destination wants them. With a
    /// `ca_file` the destination gets a context of its own.
    tls_context trust(const std::string& ca_file);

private:
    clock& time_;
    resolver names_;
    std::mutex mutex_;
    tls_context system_;
};

}  // namespace leasebox::http
