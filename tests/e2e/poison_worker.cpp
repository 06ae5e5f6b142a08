// A dispatcher whose sink kills its own process on some events, for tests of poison.
//
// poison_worker STORE LOG: delivers everything for "a"; each delivery is a line in LOG. A payload
// that begins with "poison" aborts the process. Exits 0 once nothing can move.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <fstream>
#include <iostream>

#include "leasebox/dispatcher.hpp"
#include "leasebox/sqlite/store.hpp"

namespace asio = boost::asio;

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    std::ofstream log(argv[2], std::ios::app);
    asio::io_context context;
    std::shared_ptr<leasebox::store> events = leasebox::sqlite::open(argv[1]);
    leasebox::dispatcher_options options;
    options.until_idle = true;
    options.in_flight = 50;
    options.limits.expiries_max = 3;
    leasebox::dispatcher worker(context.get_executor(), events, options);
    auto deliver = [&](const leasebox::claimed_event& event,
                       leasebox::boot_time) -> asio::awaitable<leasebox::delivery> {
        // One turn of the loop, so that what was claimed together is in flight together.
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        log << event.key.id << " " << event.attempt << std::endl;
        if (event.payload.starts_with("poison")) std::raise(SIGKILL);
        co_return leasebox::delivery(leasebox::outcome::delivered);
    };
    leasebox::destination_options how;
    how.in_flight = 50;
    worker.serve("a", leasebox::make_sink(deliver), how);
    worker.async_run([](boost::system::error_code ec) {
        if (ec) std::cerr << ec.message() << "\n";
    });
    context.run();
}
