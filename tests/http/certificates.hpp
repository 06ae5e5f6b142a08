// Certificates for tests, made while they run.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace leasebox::testing {

/// What a certificate says.
struct certificate_text {
    std::string common_name = "test";
    std::string alternative_names;  ///< such as `DNS:a.example,IP:127.0.0.1`; empty: none
    long starts_s = -3600;          ///< from now
    long ends_s = 3600;             ///< from now
};

/// An authority of its own: who trusts its file trusts what it issues.
class authority {
public:
    authority();
    ~authority();
    authority(const authority&) = delete;
    authority& operator=(const authority&) = delete;

    /// The certificate as PEM, in a file that lives as long as the authority.
    const std::string& file() const noexcept { return file_; }
    /// A server's TLS context with a new certificate of this authority.
    std::shared_ptr<SSL_CTX> issue(const certificate_text& text) const;

private:
    std::shared_ptr<EVP_PKEY> key_;
    std::shared_ptr<X509> certificate_;
    std::string file_;
};

/// A server's TLS context whose certificate nobody has signed but itself.
std::shared_ptr<SSL_CTX> self_signed(const certificate_text& text);

}  // namespace leasebox::testing
