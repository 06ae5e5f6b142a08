#include "apps/run/service.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdlib>
#include <iostream>

#include "apps/run/progress.hpp"
#include "leasebox/log/observer.hpp"
#include "leasebox/sqlite/store.hpp"

namespace leasebox::apps {
namespace {

std::shared_ptr<spdlog::logger> make_logger(const service_options& options) {
    const bool colour = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        colour ? spdlog::color_mode::always : spdlog::color_mode::never);
    auto logger = std::make_shared<spdlog::logger>("leasebox", std::move(sink));
    logger->set_level(spdlog::level::from_str(options.log_level));
    if (options.log_json) {
        logger->set_formatter(log::make_json_formatter());
    } else {
        logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
    }
    logger->flush_on(spdlog::level::info);
    return logger;
}

void serve_all(dispatcher& worker, const configuration& config) {
    auto shared = std::make_shared<http::context>(system_clock());
    for (const auto& [name, one] : config.destinations) {
        try {
            http::destination_options wire = one.wire;
            wire.connections_idle_max = std::min(one.how.in_flight, 1000);
            worker.serve(name, http::make_sink(shared, std::move(wire)), one.how);
        } catch (const error& refused) {
            throw error(errc::invalid_option, "destination " + name + ": " + refused.sentence());
        }
    }
}

// SIGTERM and SIGINT: the first stops softly, the second at once.
void stop_on_signals(boost::asio::signal_set& signals, dispatcher& worker, stop_kind how) {
    signals.async_wait([&signals, &worker, how](boost::system::error_code ec, int) {
        if (ec) return;
        worker.stop(how);
        stop_on_signals(signals, worker, stop_kind::hard);
    });
}

// What is left that nobody will move: a program that waits for it to be done has to be told.
int exit_code_of(const std::string& store_path) {
    const store_stats left = sqlite::open(store_path)->stats();
    std::int64_t dead = 0;
    std::int64_t parked = 0;
    for (const auto& [name, one] : left.destinations) {
        dead += one.events.at(state::dead);
        parked += one.events.at(state::parked);
    }
    if (dead + parked + left.lanes_blocked == 0) return 0;
    std::cerr << "leasebox: idle, but " << dead << " dead and " << parked << " parked events and "
              << left.lanes_blocked << " blocked lanes remain; see 'leasebox list --state dead'\n";
    return 1;
}

}  // namespace

int run_service(const service_options& options) {
    boost::asio::io_context context(1);
    std::shared_ptr<store> events = sqlite::open(options.store_path);
    auto counts = std::make_shared<tally>(log::make_observer(
        make_logger(options), options.log_json ? log::style::json : log::style::text));
    dispatcher_options how = options.config.dispatcher;
    how.until_idle = options.until_idle;
    dispatcher worker(context.get_executor(), events, how, counts);
    serve_all(worker, options.config);

    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    stop_on_signals(signals, worker, stop_kind::soft);
    const auto alarm = system_clock().make_timer(context.get_executor());
    if (options.run_for) {
        alarm->arm(system_clock().now() + *options.run_for, [&worker] { worker.stop(); });
    }
    std::optional<progress_line> progress;
    if (options.until_idle) progress.emplace(context.get_executor(), system_clock(), counts);
    boost::system::error_code ended;
    worker.async_run([&](boost::system::error_code ec) {
        ended = ec;
        signals.cancel();
        alarm->cancel();
        progress.reset();
    });
    context.run();
    if (ended) throw error(errc::store_failed, "the dispatcher ended: " + ended.message());
    const bool idle = options.until_idle && !worker.status().stopping;
    return idle ? exit_code_of(options.store_path) : 0;
}

}  // namespace leasebox::apps
