// The dispatcher: claims due events from a store and takes them to their sinks, inside limits.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "leasebox/clock.hpp"
#include "leasebox/core/budget.hpp"
#include "leasebox/core/flow.hpp"
#include "leasebox/observer.hpp"
#include "leasebox/sink.hpp"
#include "leasebox/store.hpp"

namespace leasebox {

namespace dispatch {
class engine;
}

/// How one destination is served.
struct destination_options {
    int in_flight = 16;                   ///< at once; 1 to 10,000
    on_dead dead_head = on_dead::block;   ///< what becomes of a lane whose head is dead
    on_gone gone = on_gone::pause;        ///< what an answer 410 does; served again, it goes on
    std::optional<send_rate> rate = {};   ///< none: as fast as it answers
    bool adaptive = true;  ///< fewer than in_flight at once while it fails or becomes slow
    breaker_options breaker = {};
};

/// For how long settled events are kept, from their settling on; none: for ever. 1 ms to 3650
/// days. An event that is still needed stays anyway; see could_be_needed() in core/model.hpp.
struct retention_options {
    std::optional<milliseconds> delivered;
    std::optional<milliseconds> cancelled;
    std::optional<milliseconds> dead;  ///< the only trace of what went wrong: seldom wanted
};

struct dispatcher_options {
    std::string owner = "leasebox";  ///< 1 to 100 of [A-Za-z0-9._:-]; a random part is added
    int in_flight = 64;              ///< events being sent at once, in total; 1 to 10,000
    int claim_max = 64;              ///< events taken by one claim; 1 to 10,000
    milliseconds lease = std::chrono::seconds{30};           ///< 100 ms to 24 h
    milliseconds attempt_timeout = std::chrono::seconds{20}; ///< one send, everything included
    milliseconds lease_margin = std::chrono::seconds{2};     ///< kept free for the ack
    milliseconds drain = std::chrono::seconds{10};           ///< of a soft stop, then it is hard
    milliseconds poll = milliseconds{50};  ///< how often another process's commit is looked for
    budgets limits;
    backoff retry;
    /// Where the store can prove that an owner's process is dead, its claims are taken over at
    /// once instead of at the end of their leases. Switch it off where the store's file is on a
    /// file system whose locks can't be trusted.
    bool fast_recovery = true;
    retention_options retention;  ///< of all destinations in the store

    // Performance.
    int store_queue_max = 16'384;   ///< operations that may wait for the store
    int store_batch_max = 1'024;    ///< operations in one transaction

    // Behaviour for batch programs and tests.
    bool until_idle = false;    ///< async_run ends once nothing can move by itself any more
    std::optional<std::uint64_t> jitter_seed;  ///< none: from the system's entropy
    bool store_thread = true;   ///< false: the store is called on the dispatcher's strand, so that
                                ///< a moved clock and one thread make a run repeatable
};

enum class stop_kind : std::uint8_t {
    soft,  ///< claim nothing more, let sends finish for up to `drain`, then as hard
    hard,  ///< cancel sends now: what certainly was not sent is released
};

/// What a dispatcher is doing, for health checks and tests.
struct dispatcher_status {
    bool running = false;
    bool stopping = false;
    bool store_answers = true;
    int in_flight = 0;
};

/// How one destination fares, for health checks, metrics and tests.
struct destination_status {
    int in_flight = 0;
    int limit = 0;  ///< of what is in flight, as the destination's answers tell
    circuit_state circuit = circuit_state::closed;
    bool held = false;    ///< it asked to be left alone for a while
    bool paused = false;  ///< it said that it wants nothing any more
};

/// Runs on the executor it is given, on a strand of its own, beside whatever else runs there;
/// the store has its own thread. All member functions may be called from any thread. The object
/// may be destroyed at any time before its executor's context: its work then stops hard, what
/// waits for the store is committed, and outstanding operations complete.
class dispatcher {
public:
    /// Checks the options, relations too; throws leasebox::error(invalid_option) that names the
    /// field, its value and the rule. `clock` must outlive the dispatcher's last operation.
    dispatcher(boost::asio::any_io_executor executor, std::shared_ptr<store> events,
               dispatcher_options options, std::shared_ptr<observer> watcher = nullptr,
               clock& clock = system_clock());
    ~dispatcher();
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    /// Serves `destination` with `to` from now on; replaces an earlier sink of that name.
    void serve(std::string destination, std::shared_ptr<sink> to, destination_options how = {});

    /// Claims and delivers until stopped. Completes with no error after a stop, once everything
    /// in flight is settled or released and written; `already_running` at once where it was
    /// called before. Signature void(error_code). Cancellation: terminal stops hard, any other
    /// kind softly; either way it completes without an error.
    template <class Token>
    auto async_run(Token&& token);

    /// Appends in a transaction of the store's own, together with what else waits for the store.
    /// Signature void(error_code, receipt). An append that was accepted is not cancelled.
    template <class Token>
    auto async_append(draft event, Token&& token);

    /// Runs `function(transaction&)` on the store's thread, inside its next transaction.
    /// Signature void(error_code). The function must not wait for the dispatcher.
    template <class Token>
    auto async_transact(std::function<void(transaction&)> function, Token&& token);

    /// Completes once nothing is due and nothing is in flight. Signature void(error_code).
    template <class Token>
    auto async_flush(Token&& token);

    /// Something was appended by other means in this process: look at once.
    void notify();

    /// Idempotent; a second stop may only make it harder.
    void stop(stop_kind how = stop_kind::soft);

    dispatcher_status status() const;

    /// Of each destination that is served.
    std::map<std::string, destination_status> destinations() const;

    /// The owner that claims carry: the name and this process start's random part.
    const std::string& owner() const noexcept;

private:
    using run_handler = boost::asio::any_completion_handler<void(boost::system::error_code)>;
    using append_handler =
        boost::asio::any_completion_handler<void(boost::system::error_code, receipt)>;

    void start_run(run_handler handler);
    void start_append(draft event, append_handler handler);
    void start_transact(std::function<void(transaction&)> function, run_handler handler);
    void start_flush(run_handler handler);

    boost::asio::any_io_executor executor_;
    std::shared_ptr<dispatch::engine> engine_;
};

template <class Token>
auto dispatcher::async_run(Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](auto handler) { start_run(run_handler(std::move(handler))); }, token);
}

template <class Token>
auto dispatcher::async_append(draft event, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, receipt)>(
        [this](auto handler, draft moved) {
            start_append(std::move(moved), append_handler(std::move(handler)));
        },
        token, std::move(event));
}

template <class Token>
auto dispatcher::async_transact(std::function<void(transaction&)> function, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](auto handler, std::function<void(transaction&)> moved) {
            start_transact(std::move(moved), run_handler(std::move(handler)));
        },
        token, std::move(function));
}

template <class Token>
auto dispatcher::async_flush(Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](auto handler) { start_flush(run_handler(std::move(handler))); }, token);
}

}  // namespace leasebox
