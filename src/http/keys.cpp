#include "http/keys.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "http/base64.hpp"
#include "leasebox/core/error.hpp"

namespace leasebox::http {
namespace {

constexpr std::size_t secret_bytes_min = 24;
constexpr std::size_t secret_bytes_max = 64;
constexpr std::size_t ed25519_bytes = 32;
constexpr std::size_t ed25519_signature_bytes = 64;

template <auto Free>
struct freed_by {
    template <class Object>
    void operator()(Object* object) const {
        Free(object);
    }
};
using mac_context = std::unique_ptr<EVP_MAC_CTX, freed_by<&EVP_MAC_CTX_free>>;
using mac_algorithm = std::unique_ptr<EVP_MAC, freed_by<&EVP_MAC_free>>;
using digest_context = std::unique_ptr<EVP_MD_CTX, freed_by<&EVP_MD_CTX_free>>;
using key_pair = std::unique_ptr<EVP_PKEY, freed_by<&EVP_PKEY_free>>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

void demand(bool worked) {
    if (!worked) throw std::runtime_error("OpenSSL refused a signature operation");
}

bool equal(std::string_view one, std::string_view other) {
    return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

class hmac_key final : public signing_key, public checking_key {
public:
    explicit hmac_key(std::string_view secret) {
        const mac_algorithm hmac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
        keyed_.reset(EVP_MAC_CTX_new(hmac.get()));
        std::string digest = "SHA256";
        const std::array<OSSL_PARAM, 2> choice{
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
            OSSL_PARAM_construct_end()};
        demand(keyed_ != nullptr &&
               EVP_MAC_init(keyed_.get(), bytes_of(secret), secret.size(), choice.data()) == 1);
    }

    std::string sign(const signed_content& content) const override {
        const mac_context work(EVP_MAC_CTX_dup(keyed_.get()));
        std::array<unsigned char, 32> code{};
        std::size_t length = 0;
        demand(work != nullptr &&
               EVP_MAC_update(work.get(), bytes_of(content.prefix), content.prefix.size()) == 1 &&
               EVP_MAC_update(work.get(), bytes_of(content.body), content.body.size()) == 1 &&
               EVP_MAC_final(work.get(), code.data(), &length, code.size()) == 1);
        return "v1," + encode_base64({reinterpret_cast<const char*>(code.data()), length});
    }

    bool fits(const signed_content& content, std::string_view signature) const override {
        return signature.starts_with("v1,") && equal(sign(content), signature);
    }

private:
    mac_context keyed_;  // never used itself: each signature works on a copy
};

std::string joined(const signed_content& content) {
    return content.prefix + std::string(content.body);
}

class ed25519_signing_key final : public signing_key {
public:
    explicit ed25519_signing_key(key_pair pair) : pair_(std::move(pair)) {}

    std::string sign(const signed_content& content) const override {
        const digest_context work(EVP_MD_CTX_new());
        const std::string message = joined(content);
        std::string code(ed25519_signature_bytes, '\0');
        std::size_t length = code.size();
        demand(work != nullptr &&
               EVP_DigestSignInit(work.get(), nullptr, nullptr, nullptr, pair_.get()) == 1 &&
               EVP_DigestSign(work.get(), reinterpret_cast<unsigned char*>(code.data()), &length,
                              bytes_of(message), message.size()) == 1);
        return "v1a," + encode_base64(code);
    }

private:
    key_pair pair_;
};

class ed25519_checking_key final : public checking_key {
public:
    explicit ed25519_checking_key(key_pair pair) : pair_(std::move(pair)) {}

    bool fits(const signed_content& content, std::string_view signature) const override {
        if (!signature.starts_with("v1a,")) return false;
        const auto code = decode_base64(signature.substr(4));
        if (!code || code->size() != ed25519_signature_bytes) return false;
        const digest_context work(EVP_MD_CTX_new());
        const std::string message = joined(content);
        return work != nullptr &&
               EVP_DigestVerifyInit(work.get(), nullptr, nullptr, nullptr, pair_.get()) == 1 &&
               EVP_DigestVerify(work.get(), bytes_of(*code), code->size(), bytes_of(message),
                                message.size()) == 1;
    }

private:
    key_pair pair_;
};

[[noreturn]] void refuse(const std::string& field, const char* rule) {
    throw error(errc::invalid_option, field + " " + rule);
}

std::string decoded(std::string_view text, const std::string& field) {
    const auto bytes = decode_base64(text);
    if (!bytes) refuse(field, "is not base64 behind its prefix");
    return *bytes;
}

std::string hmac_secret(std::string_view text, const std::string& field) {
    const std::string bytes = decoded(text, field);
    if (bytes.size() < secret_bytes_min || bytes.size() > secret_bytes_max) {
        refuse(field, "must be base64 of 24 to 64 bytes");
    }
    return bytes;
}

key_pair public_key(std::string_view bytes) {
    return key_pair(
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(bytes), bytes.size()));
}

std::string public_bytes(const EVP_PKEY* pair) {
    std::string bytes(ed25519_bytes, '\0');
    std::size_t length = bytes.size();
    demand(EVP_PKEY_get_raw_public_key(pair, reinterpret_cast<unsigned char*>(bytes.data()),
                                       &length) == 1);
    return bytes;
}

// A `whsk_` key is the seed, alone or with the public key that belongs to it behind it.
key_pair private_key(std::string_view text, const std::string& field) {
    const std::string bytes = decoded(text, field);
    if (bytes.size() != ed25519_bytes && bytes.size() != 2 * ed25519_bytes) {
        refuse(field, "must be base64 of an Ed25519 key of 32 or 64 bytes");
    }
    key_pair pair(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(bytes), ed25519_bytes));
    demand(pair != nullptr);
    if (bytes.size() > ed25519_bytes && public_bytes(pair.get()) != bytes.substr(ed25519_bytes)) {
        refuse(field, "holds a public key that does not belong to its private key");
    }
    return pair;
}

std::optional<std::string_view> after(std::string_view prefix, std::string_view text) {
    if (!text.starts_with(prefix)) return std::nullopt;
    return text.substr(prefix.size());
}

}  // namespace

std::shared_ptr<const signing_key> make_signing_key(const std::string& secret,
                                                    const std::string& field) {
    if (after("whpk_", secret)) refuse(field, "is a public key, which can't sign");
    if (const auto text = after("whsk_", secret)) {
        return std::make_shared<ed25519_signing_key>(private_key(*text, field));
    }
    return std::make_shared<hmac_key>(hmac_secret(after("whsec_", secret).value_or(secret), field));
}

std::shared_ptr<const checking_key> make_checking_key(const std::string& key,
                                                      const std::string& field) {
    if (const auto text = after("whsk_", key)) {
        const key_pair pair = private_key(*text, field);
        return std::make_shared<ed25519_checking_key>(public_key(public_bytes(pair.get())));
    }
    if (const auto text = after("whpk_", key)) {
        const std::string bytes = decoded(*text, field);
        if (bytes.size() != ed25519_bytes) refuse(field, "must be base64 of 32 bytes");
        return std::make_shared<ed25519_checking_key>(public_key(bytes));
    }
    return std::make_shared<hmac_key>(hmac_secret(after("whsec_", key).value_or(key), field));
}

}  // namespace leasebox::http
