#include "certificates.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace leasebox::testing {
namespace {

std::shared_ptr<EVP_PKEY> make_key() {
    return {EVP_EC_gen("P-256"), &EVP_PKEY_free};
}

void extend(X509* certificate, int kind, const std::string& value) {
    X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    if (made == nullptr) throw std::runtime_error("bad certificate extension " + value);
    X509_add_ext(certificate, made, -1);
    X509_EXTENSION_free(made);
}

// Not signed yet.
std::shared_ptr<X509> draft(const certificate_text& text, EVP_PKEY* key, X509* issuer) {
    const std::shared_ptr<X509> made(X509_new(), &X509_free);
    X509_set_version(made.get(), 2);
    static long serial = 1;
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), text.starts_s);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), text.ends_s);
    X509_set_pubkey(made.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(text.common_name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(made.get(),
                         X509_get_subject_name(issuer != nullptr ? issuer : made.get()));
    if (!text.alternative_names.empty()) {
        extend(made.get(), NID_subject_alt_name, text.alternative_names);
    }
    return made;
}

std::shared_ptr<SSL_CTX> serve_with(X509* certificate, EVP_PKEY* key) {
    const std::shared_ptr<SSL_CTX> made(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
    SSL_CTX_use_certificate(made.get(), certificate);
    SSL_CTX_use_PrivateKey(made.get(), key);
    return made;
}

std::string write_pem(X509* certificate) {
    std::string name = "/tmp/leasebox-test-ca-XXXXXX";
    const int fd = ::mkstemp(name.data());
    FILE* const file = ::fdopen(fd, "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    return name;
}

}  // namespace

authority::authority() : key_(make_key()) {
    certificate_text text;
    text.common_name = "test authority";
    certificate_ = draft(text, key_.get(), nullptr);
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
    file_ = write_pem(certificate_.get());
}

authority::~authority() {
    ::unlink(file_.c_str());
}

std::shared_ptr<SSL_CTX> authority::issue(const certificate_text& text) const {
    const auto key = make_key();
    const auto made = draft(text, key.get(), certificate_.get());
    X509_sign(made.get(), key_.get(), EVP_sha256());
    return serve_with(made.get(), key.get());
}

std::shared_ptr<SSL_CTX> self_signed(const certificate_text& text) {
    const auto key = make_key();
    const auto made = draft(text, key.get(), nullptr);
    X509_sign(made.get(), key.get(), EVP_sha256());
    return serve_with(made.get(), key.get());
}

}  // namespace leasebox::testing
