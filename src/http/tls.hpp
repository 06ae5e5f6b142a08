// What TLS means here: the peer's certificate is verified against the system's authorities, and
// its name against the host of the URL.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "http/endpoint.hpp"

namespace leasebox::http {

using tls_context = std::shared_ptr<boost::asio::ssl::context>;

/// Trusts the system's authorities, and those in `ca_file` where it is not empty. Throws
/// leasebox::error(invalid_option) where the file can't be read.
tls_context make_tls_context(const std::string& ca_file);

/// Tells one connection whom it must meet: the name or address, and SNI where it is a name.
/// False where OpenSSL refuses.
bool expect_peer(SSL* connection, const endpoint& to);

/// Why the peer's certificate was refused; empty where it was not.
std::string certificate_trouble(const SSL* connection);

}  // namespace leasebox::http
