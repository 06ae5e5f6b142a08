// A server's shutdown: the first signal stops softly, the second at once. Either way what
// certainly was not sent is released, and what was sent is written down.
#include <boost/asio.hpp>
#include <iostream>
#include <leasebox/leasebox.hpp>

namespace asio = boost::asio;

int main() {
    asio::io_context context;
    std::shared_ptr<leasebox::store> store = leasebox::sqlite::open("two_stops.db");
    leasebox::dispatcher_options options;
    options.drain = std::chrono::seconds{10};  // then the soft stop becomes a hard one
    leasebox::dispatcher dispatcher(context.get_executor(), store, options);
    auto deliver = [](const leasebox::claimed_event& event,
                      leasebox::boot_time) -> asio::awaitable<leasebox::delivery> {
        std::cout << "delivering " << event.payload << std::endl;
        co_return leasebox::delivery(leasebox::outcome::delivered);
    };
    dispatcher.serve("billing", leasebox::make_sink(deliver));

    asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](boost::system::error_code ec, int) {
        if (ec) return;
        std::cout << "stopping softly" << std::endl;
        dispatcher.stop(leasebox::stop_kind::soft);
        signals.async_wait([&](boost::system::error_code again, int) {
            if (!again) dispatcher.stop(leasebox::stop_kind::hard);
        });
    });
    dispatcher.async_run([&](boost::system::error_code ec) {
        std::cout << "stopped: " << ec.message() << std::endl;
        signals.cancel();
    });
    std::cout << "running" << std::endl;
    context.run();
}
