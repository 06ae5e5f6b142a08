#include "http/context.hpp"

namespace leasebox::http {

tls_context context_parts::trust(const std::string& ca_file) {
    if (!ca_file.empty()) return make_tls_context(ca_file);
    const std::lock_guard lock(mutex_);
    if (!system_) system_ = make_tls_context({});
    return system_;
}

context::context(clock& time, name_lookup lookup)
    : parts_(std::make_shared<context_parts>(time, std::move(lookup))) {}

context::~context() = default;

}  // namespace leasebox::http
