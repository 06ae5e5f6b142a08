// Standard Webhooks signatures: the sender's side and the consumer's.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace leasebox::http {

class signing_key;
class checking_key;

/// Signs what is sent. Immutable, so that it is safe from any thread; copies share the keys.
class signer {
public:
    /// Signs nothing.
    signer() = default;
    /// Secrets are `whsec_` and base64 of 24 to 64 bytes (HMAC-SHA256; the prefix may be left
    /// out), or `whsk_` and base64 of an Ed25519 key. Throws leasebox::error(invalid_option) that
    /// names the secret by its place, and never shows it.
    explicit signer(const std::vector<std::string>& secrets);

    bool empty() const noexcept { return keys_.empty(); }

    /// The value of webhook-signature: one signature a secret, in their order, space separated.
    std::string sign(std::string_view id, std::int64_t timestamp_s, std::string_view body) const;

private:
    std::vector<std::shared_ptr<const signing_key>> keys_;
};

/// What a consumer finds out about a request.
enum class signature_check : std::uint8_t {
    valid,
    missing,        ///< one of the three headers is empty
    bad_timestamp,  ///< webhook-timestamp is no number of seconds
    too_old,        ///< signed longer ago than the tolerance: perhaps replayed by a stranger
    too_new,        ///< signed further in the future than the tolerance
    no_match,       ///< no signature fits any of the keys
};
std::string_view to_string(signature_check value) noexcept;

/// The three headers of a signed request, as they were received.
struct signature_headers {
    std::string_view id;         ///< webhook-id
    std::string_view timestamp;  ///< webhook-timestamp
    std::string_view signature;  ///< webhook-signature
};

/// Checks what was received, in time that does not depend on where signatures differ. Immutable,
/// so that it is safe from any thread.
class verifier {
public:
    /// Keys are secrets as for the signer, or `whpk_` and base64 of an Ed25519 public key. Any
    /// of them may fit. `tolerance` is how far the sender's clock may be from ours; 1 s or more.
    /// Throws leasebox::error(invalid_option).
    explicit verifier(const std::vector<std::string>& keys,
                      std::chrono::seconds tolerance = std::chrono::minutes{5});

    /// `now_s`: seconds since the Unix epoch. `body`: the bytes as they were received.
    signature_check check(const signature_headers& headers, std::string_view body,
                          std::int64_t now_s) const;

private:
    std::vector<std::shared_ptr<const checking_key>> keys_;
    std::chrono::seconds tolerance_;
};

}  // namespace leasebox::http
