#include "http/tls.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "leasebox/core/error.hpp"

namespace leasebox::http {

namespace ssl = boost::asio::ssl;

tls_context make_tls_context(const std::string& ca_file) {
    auto made = std::make_shared<ssl::context>(ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(made->native_handle(), TLS1_2_VERSION);
    boost::system::error_code failed;
    made->set_verify_mode(ssl::verify_peer, failed);
    made->set_default_verify_paths(failed);
    if (!ca_file.empty()) {
        made->load_verify_file(ca_file, failed);
        if (failed) {
            throw error(errc::invalid_option,
                        "ca_file " + ca_file + " holds no certificate that can be read");
        }
    }
    return made;
}

bool expect_peer(SSL* connection, const endpoint& to) {
    X509_VERIFY_PARAM* const rules = SSL_get0_param(connection);
    X509_VERIFY_PARAM_set_hostflags(
        rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (to.literal) return X509_VERIFY_PARAM_set1_ip_asc(rules, to.host.c_str()) == 1;
    // A certificate never names the root dot that a URL may write.
    const std::string name =
        to.host.ends_with('.') ? to.host.substr(0, to.host.size() - 1) : to.host;
    return SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(name.c_str())) == 1 &&
           X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size()) == 1;
}

std::string certificate_trouble(const SSL* connection) {
    const long result = SSL_get_verify_result(connection);
    return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}

}  // namespace leasebox::http
