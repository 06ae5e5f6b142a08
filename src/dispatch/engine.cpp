#include "dispatch/engine.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "dispatch/options.hpp"

namespace leasebox::dispatch {
namespace {

const dispatcher_options& checked(const dispatcher_options& options) {
    check(options);
    return options;
}

plan_limits limits_of(const dispatcher_options& options) {
    return {options.in_flight, options.claim_max, options.until_idle};
}

actor_options actor_options_of(const dispatcher_options& options, const std::string& owner) {
    actor_options actor;
    actor.queue_max = static_cast<std::size_t>(options.store_queue_max);
    actor.batch_max = static_cast<std::size_t>(options.store_batch_max);
    actor.poll = options.poll;
    actor.own_thread = options.store_thread;
    if (options.fast_recovery) actor.owner = owner;
    actor.limits = options.limits;
    actor.retention = options.retention;
    return actor;
}

}  // namespace

engine::engine(boost::asio::any_io_executor executor, std::shared_ptr<store> events,
               dispatcher_options options, std::shared_ptr<observer> watcher, clock& time)
    : strand_(boost::asio::make_strand(std::move(executor))),
      clock_(time),
      options_(checked(options)),
      owner_(unique_owner(options.owner)),
      observer_(std::move(watcher)),
      actor_(std::make_shared<store_actor>(std::move(events), time,
                                           actor_options_of(options_, owner_), observer_, strand_)),
      plan_(limits_of(options_)),
      wake_(strand_),
      wake_timer_(time.make_timer(strand_)),
      drain_timer_(time.make_timer(strand_)),
      random_(options_.jitter_seed ? *options_.jitter_seed : std::random_device{}()) {}

void engine::serve(std::string name, std::shared_ptr<sink> to, destination_options how) {
    check(name, how);
    boost::asio::dispatch(strand_, [self = shared_from_this(), name = std::move(name),
                                    to = std::move(to), how]() mutable {
        destination& one = self->destinations_[name];
        one.to = std::move(to);
        one.how = how;
        one.course.reset(how);
        self->publish(name, one);
        self->plan_.woken();
        self->wake();
    });
}

// Appends may come before run(), so the actor starts with whoever needs it first.
void engine::start_actor() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(actor_started_, true)) return;
    }
    actor_->start([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->notify();
    });
}

void engine::run(completion done) {
    start_actor();
    boost::asio::dispatch(strand_, [self = shared_from_this(), done = std::move(done)]() mutable {
        self->begin(std::move(done));
    });
}

void engine::begin(completion done) {
    if (std::exchange(begun_, true)) return done(make_error_code(errc::already_running));
    run_done_ = std::move(done);
    note_simple(occurrence::started);
    if (stopping_) plan_.stopping();
    publish();
    boost::asio::co_spawn(
        strand_, claim_loop(),
        [self = shared_from_this()](std::exception_ptr failed) { self->finish(failed); });
}

void engine::finish(std::exception_ptr failed) {
    ended_ = true;
    wake_timer_->cancel();
    drain_timer_->cancel();
    actor_->stop();
    for (auto& [name, one] : destinations_) {
        if (one.to) one.to->close();
    }
    complete_flushes(make_error_code(errc::stopped));
    publish();
    note_simple(occurrence::stopped);
    const auto done = std::move(run_done_);
    done(failed ? make_error_code(errc::store_failed) : boost::system::error_code{});
}

void engine::append(draft event, append_completion done) {
    start_actor();
    append_request request;
    request.drafts.push_back(std::move(event));
    actor_->post(std::move(request), [self = shared_from_this(), done](reply got) {
        if (auto* failed = std::get_if<failure>(&got)) return done(failed->code, receipt());
        self->notify();
        done({}, std::move(std::get<append_reply>(got).receipts.front()));
    });
}

void engine::transact(std::function<void(transaction&)> function, completion done) {
    start_actor();
    transact_request request{std::move(function)};
    actor_->post(std::move(request), [self = shared_from_this(), done](reply got) {
        if (auto* failed = std::get_if<failure>(&got)) return done(failed->code);
        self->notify();
        done({});
    });
}

void engine::flush(completion done) {
    boost::asio::dispatch(strand_, [self = shared_from_this(), done = std::move(done)]() mutable {
        if (self->ended_) return done(make_error_code(errc::stopped));
        self->flushes_.push_back(std::move(done));
        self->plan_.woken();
        self->wake();
    });
}

void engine::notify() {
    boost::asio::dispatch(strand_, [self = shared_from_this()] {
        self->plan_.woken();
        self->wake();
    });
}

void engine::stop(stop_kind how) {
    boost::asio::dispatch(strand_, [self = shared_from_this(), how] {
        how == stop_kind::soft ? self->soft_stop() : self->hard_stop();
    });
}

void engine::soft_stop() {
    if (std::exchange(stopping_, true)) return;
    note_simple(occurrence::stopping);
    plan_.stopping();
    drain_timer_->arm(clock_.now() + options_.drain, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->hard_stop();
    });
    publish();
    wake();
}

void engine::hard_stop() {
    soft_stop();
    if (std::exchange(hard_, true)) return;
    give_up_at_ = clock_.now() + options_.lease_margin;
    const auto running = attempts_;
    for (const auto& each : running)
        each->cancel();
    wake();
}

void engine::close() {
    stop(stop_kind::hard);
    actor_->join();
}

void engine::wake() {
    wake_.notify();
}

void engine::publish() {
    const std::lock_guard lock(mutex_);
    status_.running = begun_ && !ended_;
    status_.stopping = stopping_;
    status_.in_flight = in_flight_;
}

void engine::publish(const std::string& name, const destination& one) {
    const std::lock_guard lock(mutex_);
    views_[name] = one.course.view();
}

std::map<std::string, destination_status> engine::destinations() const {
    std::map<std::string, destination_status> all;
    const boot_time now = clock_.now();
    const std::lock_guard lock(mutex_);
    for (const auto& [name, view] : views_) all.emplace(name, view.at(now));
    return all;
}

dispatcher_status engine::status() const {
    const std::lock_guard lock(mutex_);
    dispatcher_status now = status_;
    now.store_answers = actor_->answers();
    return now;
}

void engine::complete_flushes(boost::system::error_code ec) {
    for (const completion& done : std::exchange(flushes_, {}))
        done(ec);
}

void engine::note(const record& what) const {
    if (observer_) observer_->on(what);
}

void engine::note_simple(occurrence kind, severity level) const {
    record what;
    what.what = kind;
    what.level = level;
    what.owner = owner_;
    note(what);
}

}  // namespace leasebox::dispatch
