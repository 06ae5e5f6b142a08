#include "http/lookup_desk.hpp"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <system_error>
#include <thread>

namespace leasebox::http {
namespace {

constexpr std::size_t names_kept_max = 4096;

}  // namespace

std::optional<resolved> lookup_desk::ask(const std::string& name,
                                         const std::shared_ptr<lookup_waiter>& waiter) {
    const std::lock_guard lock(mutex_);
    if (clock_ == nullptr) return resolved{{}, boost::asio::error::operation_aborted};
    if (names_.size() >= names_kept_max) forget_old();
    entry& of = names_[name];
    if (of.until && clock_->now() < *of.until) return of.answer;
    if (!of.asked) {
        if (!want_thread()) return resolved{{}, boost::asio::error::no_memory};
        queue_.push_back(name);
        of.asked = true;
    }
    of.waiters.push_back(waiter);
    return std::nullopt;
}

void lookup_desk::leave(const std::string& name,
                        const std::shared_ptr<lookup_waiter>& waiter) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    if (found != names_.end()) std::erase(found->second.waiters, waiter);
}

void lookup_desk::close() noexcept {
    const std::lock_guard lock(mutex_);
    clock_ = nullptr;
    queue_.clear();
    work_came_.notify_all();
}

// Threads that hang in a lookup are not idle, so others are started beside them.
bool lookup_desk::want_thread() {
    const bool enough = static_cast<std::size_t>(idle_) > queue_.size();
    if (enough || threads_ >= limits_.threads_max) {
        work_came_.notify_one();
        return true;
    }
    try {
        std::thread([self = shared_from_this()] { self->work(); }).detach();
        ++threads_;
    } catch (const std::system_error&) {
        // This host is short of threads: the ones that run will come to it.
    }
    return threads_ > 0;
}

void lookup_desk::work() {
    std::unique_lock lock(mutex_);
    while (clock_ != nullptr) {
        if (queue_.empty()) {
            if (threads_ > limits_.threads_kept) break;
            ++idle_;
            work_came_.wait(lock);
            --idle_;
            continue;
        }
        const std::string name = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        resolved answer = look_up(name);
        lock.lock();
        if (clock_ != nullptr) keep(names_[name], std::move(answer));
    }
    --threads_;
}

resolved lookup_desk::look_up(const std::string& name) const noexcept {
    resolved answer;
    try {
        answer.addresses = lookup_(name);
        if (answer.addresses.empty()) answer.failed = boost::asio::error::host_not_found;
    } catch (const boost::system::system_error& thrown) {
        answer.failed = thrown.code();
    } catch (const std::exception&) {
        answer.failed = boost::asio::error::no_recovery;
    }
    return answer;
}

void lookup_desk::keep(entry& of, resolved answer) {
    of.asked = false;
    of.failure_kept = !answer.failed ? milliseconds{0}
                                     : std::clamp(of.failure_kept * 2, limits_.failure_kept_first,
                                                  limits_.failure_kept_max);
    of.until = clock_->now() + (answer.failed ? of.failure_kept : limits_.answer_kept);
    of.answer = std::move(answer);
    // Posted under the lock: whoever has left may have lost the context it ran in.
    for (const auto& waiter : of.waiters) {
        boost::asio::post(waiter->executor, [waiter, answer = of.answer] {
            waiter->answer = answer;
            waiter->parked.cancel();
        });
    }
    of.waiters.clear();
}

void lookup_desk::forget_old() {
    const boot_time now = clock_->now();
    std::erase_if(names_, [&](const auto& named) {
        const entry& of = named.second;
        return !of.asked && of.waiters.empty() && (!of.until || *of.until <= now);
    });
}

}  // namespace leasebox::http
