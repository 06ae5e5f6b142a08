#include "http/pool.hpp"

namespace leasebox::http {

std::shared_ptr<connection> pool::take(boot_time now) {
    drop_old(now);
    while (!idle_.empty()) {
        const std::shared_ptr<connection> link = std::move(idle_.back().link);
        idle_.pop_back();
        if (link->is_quiet()) return link;
        link->close();
    }
    return nullptr;
}

void pool::give_back(std::shared_ptr<connection> idle, boot_time now) {
    drop_old(now);
    if (closed_ || now - idle->opened_at() >= limits_.age_max) return idle->close();
    if (idle_.size() >= limits_.connections_max) {
        idle_.front().link->close();
        idle_.erase(idle_.begin());
    }
    idle_.push_back(entry{std::move(idle), now});
}

void pool::close() noexcept {
    closed_ = true;
    for (const entry& kept : idle_)
        kept.link->close();
    idle_.clear();
}

bool pool::is_fresh(const entry& kept, boot_time now) const {
    return now - kept.since < limits_.idle_max && now - kept.link->opened_at() < limits_.age_max;
}

void pool::drop_old(boot_time now) {
    std::erase_if(idle_, [&](const entry& kept) {
        const bool old = !is_fresh(kept, now);
        if (old) kept.link->close();
        return old;
    });
}

}  // namespace leasebox::http
