#include "dispatch/store_actor.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

namespace leasebox::dispatch {
namespace {

// The order inside one transaction: reports free what claims may take, and an append must not
// delay either.
int rank(const operation& what) noexcept {
    struct visitor {
        int operator()(const ack_request&) const { return 0; }
        int operator()(const renew_request&) const { return 1; }
        int operator()(const operator_request&) const { return 2; }
        int operator()(const pause_request&) const { return 2; }
        int operator()(const claim_request&) const { return 3; }
        int operator()(const append_request&) const { return 4; }
        int operator()(const transact_request&) const { return 4; }
    };
    return std::visit(visitor{}, what);
}

// How soon the claims of a process that was killed are found, beside the time of a look.
constexpr milliseconds look_for_dead_every{200};

bool is_report(const operation& what) noexcept { return rank(what) <= 1; }

failure failure_of(errc code, std::string sentence) {
    return failure{make_error_code(code), std::move(sentence), nullptr};
}

}  // namespace

store_actor::store_actor(std::shared_ptr<store> events, clock& time, actor_options options,
                         std::shared_ptr<observer> watcher, boost::asio::any_io_executor executor)
    : store_(std::move(events)),
      clock_(time),
      options_(options),
      observer_(std::move(watcher)),
      executor_(std::move(executor)),
      sweeper_(options.retention) {}

store_actor::~store_actor() { join(); }

void store_actor::join() {
    stop();
    if (!thread_.joinable()) return;
    // The last reference may be dropped by a completion, on the actor's own thread.
    if (thread_.get_id() == std::this_thread::get_id()) {
        thread_.detach();
    } else {
        thread_.join();
    }
}

void store_actor::start(std::function<void()> somebody_committed) {
    somebody_committed_ = std::move(somebody_committed);
    if (options_.own_thread) {
        thread_ = std::thread([this] { serve(); });
    } else {
        poll_ = clock_.make_timer(executor_);
        arm_poll();
    }
}

bool store_actor::refuse(const operation& what, const completion& done) {
    if (stopping_) {
        done(failure_of(errc::stopped, "the store's actor has stopped"));
        return true;
    }
    // Reports are as many as are in flight, which is bounded elsewhere; they always find room.
    if (!is_report(what) && others_.size() >= options_.queue_max) {
        done(failure_of(errc::queue_full, "too many operations wait for the store"));
        return true;
    }
    return false;
}

void store_actor::post(operation what, completion done) {
    const std::lock_guard lock(mutex_);
    if (refuse(what, done)) return;
    auto& queue = is_report(what) ? reports_ : others_;
    queue.push_back({std::move(what), std::move(done)});
    if (options_.own_thread) {
        arrived_.notify_one();
    } else if (!std::exchange(scheduled_, true)) {
        boost::asio::post(executor_, [self = shared_from_this()] { self->serve_on_executor(); });
    }
}

void store_actor::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    arrived_.notify_one();
    if (poll_) poll_->cancel();
}

bool store_actor::answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
}

void store_actor::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        const bool woken = arrived_.wait_for(lock, patience(),
                                             [this] { return stopping_ || !empty(); });
        if (empty() && stopping_) return;
        std::vector<pending> batch = take_batch();
        lock.unlock();
        if (!batch.empty()) commit(std::move(batch));
        if (!woken) look_outside();
        sweep();
        lock.lock();
    }
}

// Until somebody must look: for others' commits, or for what is old enough to go.
milliseconds store_actor::patience() const {
    const auto next = sweeper_.next();
    if (!next) return options_.poll;
    const auto left = std::chrono::ceil<milliseconds>(*next - clock_.now());
    return std::clamp(left, milliseconds{1}, options_.poll);
}

// One step at most, so that whatever arrives meanwhile waits for one short transaction.
void store_actor::sweep() {
    const boot_time began = clock_.now();
    bool stop = false;
    bool reports_wait = false;
    {
        const std::lock_guard lock(mutex_);
        stop = stopping_;
        reports_wait = !reports_.empty();
    }
    if (stop || !sweeper_.is_due(began, reports_wait)) return;
    try {
        const prune_result did = store_->prune(sweeper_.request());
        const boot_time ended = clock_.now();
        sweeper_.stepped(did, ended, ended - began);
        note_pruned(did, ended - began);
    } catch (const std::exception& failed) {
        // Whether the store answers is judged by what dispatching needs of it.
        sweeper_.failed(clock_.now());
        tell_failed(severity::warning, failed.what());
    }
}

void store_actor::note_pruned(const prune_result& did, std::chrono::nanoseconds took) {
    record what;
    what.count = 0;
    for (const auto& [at, count] : did.removed) what.count += count;
    if (!observer_ || what.count == 0) return;
    what.what = occurrence::pruned;
    what.level = severity::debug;
    what.took = took;
    observer_->on(what);
}

void store_actor::serve_on_executor() {
    std::vector<pending> batch;
    {
        const std::lock_guard lock(mutex_);
        scheduled_ = false;
        batch = take_batch();
        if (!empty()) {
            scheduled_ = true;
            boost::asio::post(executor_,
                              [self = shared_from_this()] { self->serve_on_executor(); });
        }
    }
    if (!batch.empty()) commit(std::move(batch));
}

void store_actor::arm_poll() {
    poll_->arm(clock_.now() + patience(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->look_outside();
        self->sweep();
        const std::lock_guard lock(self->mutex_);
        if (!self->stopping_) self->arm_poll();
    });
}

std::vector<store_actor::pending> store_actor::take_batch() {
    std::vector<pending> batch;
    for (auto* queue : {&reports_, &others_}) {
        while (!queue->empty() && batch.size() < options_.batch_max) {
            batch.push_back(std::move(queue->front()));
            queue->pop_front();
        }
    }
    std::stable_sort(batch.begin(), batch.end(), [](const pending& left, const pending& right) {
        return rank(left.what) < rank(right.what);
    });
    return batch;
}

void store_actor::commit(std::vector<pending> batch) {
    std::vector<operation> operations;
    operations.reserve(batch.size());
    for (pending& each : batch) operations.push_back(std::move(each.what));
    std::vector<reply> replies = commit_operations(operations);
    for (std::size_t at = 0; at < batch.size(); ++at) {
        batch[at].done(std::move(replies[at]));
    }
}

std::vector<reply> store_actor::commit_operations(const std::vector<operation>& operations) {
    const boot_time began = clock_.now();
    try {
        prepare();
        std::vector<reply> replies = store_->commit(operations);
        note_committed(operations.size(), clock_.now() - began);
        return replies;
    } catch (const error& failed) {
        note_failed(failed.code(), failed.sentence());
        return std::vector<reply>(operations.size(),
                                  failure{failed.code(), failed.sentence(), nullptr});
    } catch (const std::exception& failed) {
        note_failed(make_error_code(errc::store_failed), failed.what());
        return std::vector<reply>(operations.size(),
                                  failure_of(errc::store_failed, failed.what()));
    }
}

// Before the first operation. Consumers may have seen generations that a restored or torn store
// has not.
void store_actor::prepare() {
    if (prepared_) return;
    store_->raise_generation_floor();
    if (!options_.owner.empty()) store_->register_owner(options_.owner);
    prepared_ = true;
    look_for_dead();
}

void store_actor::look_for_dead() {
    if (options_.owner.empty() || clock_.now() < look_for_dead_at_) return;
    look_for_dead_at_ = clock_.now() + look_for_dead_every;
    const int expired = store_->expire_dead_owners(options_.limits);
    if (expired == 0) return;
    if (somebody_committed_) somebody_committed_();
    if (!observer_) return;
    record what;
    what.what = occurrence::expired;
    what.level = severity::warning;
    what.owner = options_.owner;
    what.count = expired;
    what.detail = "their owner is dead";
    observer_->on(what);
}

void store_actor::look_outside() {
    try {
        if (prepared_) look_for_dead();
        if (store_->changed_outside() && somebody_committed_) somebody_committed_();
    } catch (const std::exception& failed) {
        note_failed(make_error_code(errc::store_failed), failed.what());
    }
}

void store_actor::note_committed(std::size_t operations, std::chrono::nanoseconds took) {
    bool recovered = false;
    {
        const std::lock_guard lock(mutex_);
        recovered = !std::exchange(answers_, true);
    }
    if (!observer_) return;
    record what;
    if (recovered) {
        what.what = occurrence::store_recovered;
        observer_->on(what);
    }
    what.what = occurrence::committed;
    what.level = severity::debug;
    what.count = static_cast<std::int64_t>(operations);
    what.took = took;
    observer_->on(what);
}

void store_actor::note_failed(const boost::system::error_code& code,
                              const std::string& sentence) {
    {
        const std::lock_guard lock(mutex_);
        answers_ = false;
    }
    tell_failed(is_transient(code) ? severity::warning : severity::error, sentence);
}

void store_actor::tell_failed(severity level, const std::string& sentence) const {
    if (!observer_) return;
    record what;
    what.what = occurrence::store_failed;
    what.level = level;
    what.detail = sentence;
    observer_->on(what);
}

}  // namespace leasebox::dispatch
