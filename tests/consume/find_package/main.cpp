#include <boost/asio/io_context.hpp>
#include <iostream>
#include <leasebox/leasebox.hpp>
#include <leasebox/testing/drive.hpp>
#include <leasebox/testing/memory_store.hpp>
#include <leasebox/testing/scripted_sink.hpp>

int main() {
    if (leasebox::version() != LEASEBOX_VERSION) return 1;
    leasebox::testing::manual_clock clock;
    boost::asio::io_context context;
    auto events = std::make_shared<leasebox::testing::memory_store>(clock);
    auto sink = std::make_shared<leasebox::testing::scripted_sink>();
    leasebox::dispatcher_options options;
    options.store_thread = false;
    leasebox::dispatcher dispatcher(context.get_executor(), events, options, nullptr, clock);
    dispatcher.serve("billing", sink);
    dispatcher.async_run([](boost::system::error_code) {});
    dispatcher.async_append({"billing", "{}"},
                            [](boost::system::error_code, const leasebox::receipt&) {});
    leasebox::testing::run_until_idle(context);
    dispatcher.stop();
    leasebox::testing::run_until_idle(context);
    std::cout << sink->calls().size() << " delivered\n";
    return sink->calls().size() == 1 ? 0 : 1;
}
