// The asynchronous functions take any completion token: one of each kind, in one program.
#include <boost/asio.hpp>
#include <boost/asio/experimental/as_tuple.hpp>
#include <iostream>
#include <leasebox/leasebox.hpp>

namespace asio = boost::asio;

namespace {

leasebox::draft order(const std::string& item) { return {"billing", item}; }

// Awaitable: throws where the append fails. The temporary draft is safe, it has constructors.
asio::awaitable<void> with_coroutines(leasebox::dispatcher& dispatcher) {
    const leasebox::receipt first =
        co_await dispatcher.async_append(order("awaitable"), asio::use_awaitable);
    std::cout << "awaitable: seq " << first.seq << "\n";

    const auto [ec, second] = co_await dispatcher.async_append(
        order("as_tuple"), asio::experimental::as_tuple(asio::use_awaitable));
    std::cout << "as_tuple: " << ec.message() << ", seq " << second.seq << "\n";

    auto later = dispatcher.async_append(order("deferred"), asio::deferred);
    const leasebox::receipt third = co_await std::move(later)(asio::use_awaitable);
    std::cout << "deferred: seq " << third.seq << "\n";

    co_await dispatcher.async_flush(asio::use_awaitable);
    std::cout << "flushed\n";
    dispatcher.stop();
}

}  // namespace

int main() {
    asio::thread_pool pool(2);  // the dispatcher makes a strand of its own
    std::shared_ptr<leasebox::store> store = leasebox::sqlite::open("tokens.db");
    leasebox::dispatcher dispatcher(pool.get_executor(), store, {});
    auto deliver = [](const leasebox::claimed_event&,
                      leasebox::boot_time) -> asio::awaitable<leasebox::delivery> {
        co_return leasebox::delivery(leasebox::outcome::delivered);
    };
    dispatcher.serve("billing", leasebox::make_sink(deliver));

    // Future: for the parts of a program that are not asynchronous.
    std::future<void> ended = dispatcher.async_run(asio::use_future);
    const leasebox::receipt got = dispatcher.async_append(order("future"), asio::use_future).get();
    std::cout << "future: seq " << got.seq << "\n";

    // Callback.
    std::promise<void> called;
    dispatcher.async_append(order("callback"),
                            [&](boost::system::error_code ec, const leasebox::receipt& receipt) {
                                std::cout << "callback: " << ec.message() << ", seq "
                                          << receipt.seq << "\n";
                                called.set_value();
                            });
    called.get_future().wait();

    asio::co_spawn(pool, with_coroutines(dispatcher), asio::use_future).get();
    ended.get();
    std::cout << "stopped\n";
}
