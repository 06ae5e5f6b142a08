// Keys that sign and keys that check, one class an algorithm of Standard Webhooks.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace leasebox::http {

/// What is signed: `id.timestamp.body`, in two parts so that the body is not copied for HMAC.
struct signed_content {
    std::string prefix;  ///< `id.timestamp.`
    std::string_view body;
};

class signing_key {
public:
    virtual ~signing_key() = default;
    /// Such as `v1,…`.
    virtual std::string sign(const signed_content& content) const = 0;
};

class checking_key {
public:
    virtual ~checking_key() = default;
    /// `signature` as one entry of the header: version, comma, base64.
    virtual bool fits(const signed_content& content, std::string_view signature) const = 0;
};

/// Both throw leasebox::error(invalid_option) with a sentence that begins with `field`.
std::shared_ptr<const signing_key> make_signing_key(const std::string& secret,
                                                    const std::string& field);
std::shared_ptr<const checking_key> make_checking_key(const std::string& key,
                                                      const std::string& field);

}  // namespace leasebox::http
