#include <SQLiteCpp/SQLiteCpp.h>

#include <boost/asio.hpp>
#include <iostream>
#include <leasebox/leasebox.hpp>

namespace asio = boost::asio;

int main() {
    asio::io_context context;
    std::shared_ptr<leasebox::store> store = leasebox::sqlite::open("app.db");

    // In your own transaction, on your own connection: the order and its event, or neither.
    SQLite::Database database("app.db", SQLite::OPEN_READWRITE, 5000);
    database.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT)");
    SQLite::Transaction transaction(database);
    database.exec("INSERT INTO orders (item) VALUES ('kettle')");
    leasebox::sqlite::append(database, {"billing", R"({"item":"kettle"})"});
    transaction.commit();

    // Beside your server, on its own io_context: the dispatcher. A sink is any coroutine of
    // yours; for HTTP it is leasebox::http::make_sink(…).
    leasebox::dispatcher_options options;
    options.until_idle = true;  // a server leaves this out, and runs until stop()
    leasebox::dispatcher dispatcher(context.get_executor(), store, options);
    auto deliver = [](const leasebox::claimed_event& event,
                      leasebox::boot_time) -> asio::awaitable<leasebox::delivery> {
        std::cout << "attempt " << event.attempt << ": " << event.payload << "\n";
        co_return leasebox::delivery(leasebox::outcome::delivered);
    };
    dispatcher.serve("billing", leasebox::make_sink(deliver));
    dispatcher.async_run([](boost::system::error_code ec) {
        std::cout << "dispatcher: " << ec.message() << "\n";
    });
    context.run();
}
