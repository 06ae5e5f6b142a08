#include "http/endpoint.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "leasebox/core/error.hpp"

namespace leasebox::http {
namespace {

constexpr std::size_t url_bytes_max = 2048;

void demand(bool holds, const char* rule) {
    if (!holds) throw error(errc::invalid_option, std::string("url ") + rule);
}

bool is_plain(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

boost::urls::url_view parse(std::string_view text) {
    demand(!text.empty(), "is missing");
    demand(text.size() <= url_bytes_max, "is longer than 2,048 bytes");
    demand(is_plain(text), "holds a space, a control character or a character outside of ASCII");
    const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
    demand(parsed.has_value(), "is not a URL such as https://example.org/hooks");
    return *parsed;
}

std::string host_of(const boost::urls::url_view& url) {
    const auto encoded = url.encoded_host_address();
    std::string host(encoded.data(), encoded.size());
    demand(!host.empty(), "names no host");
    demand(host.find('%') == std::string::npos, "holds a zone id or an escape in its host");
    for (char& c : host) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return host;
}

std::uint16_t port_of(const boost::urls::url_view& url, bool secure) {
    if (!url.has_port() || url.port().empty()) return secure ? 443 : 80;
    demand(url.port_number() != 0, "holds a port outside of 1 to 65535");
    return url.port_number();
}

}  // namespace

endpoint parse_endpoint(std::string_view text) {
    const boost::urls::url_view url = parse(text);
    const auto scheme = url.scheme_id();
    demand(scheme == boost::urls::scheme::http || scheme == boost::urls::scheme::https,
           "must begin with http:// or https://");
    demand(url.has_authority(), "names no host");
    demand(!url.has_userinfo(), "must not hold a user or a password");
    demand(!url.has_fragment(), "must not hold a fragment");
    demand(url.host_type() != boost::urls::host_type::ipvfuture, "holds an unknown kind of host");
    endpoint to;
    to.secure = scheme == boost::urls::scheme::https;
    to.host = host_of(url);
    boost::system::error_code no_address;
    const auto literal = boost::asio::ip::make_address(to.host, no_address);
    if (!no_address) to.literal = literal;
    to.port = port_of(url, to.secure);
    to.host_header = to.literal && literal.is_v6() ? "[" + to.host + "]" : to.host;
    if (to.port != (to.secure ? 443 : 80)) to.host_header += ":" + std::to_string(to.port);
    const auto target = url.encoded_target();
    to.target.assign(target.data(), target.size());
    // Boost.URL 1.81 takes what it can't read behind a host or a port for a path, so that
    // http://127.0.0.1.example/ would lead to 127.0.0.1.
    const bool rootless = !to.target.empty() && to.target[0] != '/' && to.target[0] != '?';
    demand(!rootless, "holds something behind its host that is neither port, path nor query");
    if (!to.target.starts_with('/')) to.target.insert(0, "/");
    return to;
}

}  // namespace leasebox::http
