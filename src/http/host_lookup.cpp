#include <netdb.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

#include "http/resolver.hpp"

namespace leasebox::http {
namespace {

using boost::system::error_code;

// Asio knows only two of the codes of getaddrinfo.
class lookup_category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "leasebox.lookup"; }
    std::string message(int code) const override { return gai_strerror(code); }
};

error_code to_error(int code, int error_number) {
    static const lookup_category category;
    if (code == EAI_SYSTEM) return {error_number, boost::system::system_category()};
    if (code == EAI_MEMORY) return {ENOMEM, boost::system::system_category()};
    return {code, category};
}

boost::asio::ip::address to_address(const addrinfo& found) {
    boost::asio::ip::tcp::endpoint endpoint;
    std::memcpy(endpoint.data(), found.ai_addr,
                std::min<std::size_t>(found.ai_addrlen, endpoint.capacity()));
    return endpoint.address();
}

}  // namespace

std::vector<boost::asio::ip::address> look_up_on_host(const std::string& name) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    const int code = getaddrinfo(name.c_str(), nullptr, &hints, &first);
    if (code != 0) throw boost::system::system_error(to_error(code, errno));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> freed(first, &freeaddrinfo);
    std::vector<boost::asio::ip::address> all;
    for (const addrinfo* at = first; at != nullptr; at = at->ai_next) {
        const bool known = at->ai_family == AF_INET || at->ai_family == AF_INET6;
        if (known) all.push_back(to_address(*at));
    }
    return all;
}

}  // namespace leasebox::http
