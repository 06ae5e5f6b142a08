// Resolves names on threads of its own, so that a name that hangs holds up nobody else.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>
#include <vector>

#include "leasebox/clock.hpp"
#include "leasebox/http/sink.hpp"

namespace leasebox::http {

struct resolver_limits {
    int threads_kept = 4;  ///< stay while there is nothing to do
    int threads_max = 64;  ///< when all others are busy, perhaps with names that hang
    milliseconds answer_kept = std::chrono::seconds{30};
    milliseconds failure_kept_first = std::chrono::seconds{1};  ///< doubles with each failure
    milliseconds failure_kept_max = std::chrono::seconds{30};
};

/// All addresses of a name, in the order of preference, or why there are none.
struct resolved {
    std::vector<boost::asio::ip::address> addresses;
    boost::system::error_code failed;
};

class lookup_desk;

/// Safe from any thread.
class resolver {
public:
    resolver(clock& time, name_lookup lookup, resolver_limits limits);
    /// Does not wait for a lookup that hangs: its thread ends by itself, some time.
    ~resolver();
    resolver(const resolver&) = delete;
    resolver& operator=(const resolver&) = delete;

    /// One lookup per name at a time; all who ask share it. Cancellation ends the wait with
    /// operation_aborted; the answer, when it comes, is kept all the same. The caller has switched
    /// off throw_if_cancelled.
    boost::asio::awaitable<resolved> resolve(std::string name);

private:
    std::shared_ptr<lookup_desk> desk_;
};

/// getaddrinfo, blocking. Throws boost::system::system_error.
std::vector<boost::asio::ip::address> look_up_on_host(const std::string& name);

}  // namespace leasebox::http
