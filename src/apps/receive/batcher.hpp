// Whatever arrived together shares one transaction.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <vector>

#include "apps/receive/ledger.hpp"
#include "apps/receive/report.hpp"

namespace leasebox::apps {

/// Used on the thread of its io_context.
class batcher {
public:
    /// Called once the work is committed, or has failed; not from inside submit().
    using done = std::function<void(outcome)>;

    batcher(boost::asio::io_context& io, ledger& book, report& said)
        : io_(io), book_(book), said_(said) {}

    /// `what` must live until `call` is called. `answers`: whether `call` will answer it.
    void submit(const delivery& what, bool answers, done call);

private:
    struct work {
        const delivery* what;
        bool answers;
        done call;
        outcome result;
    };

    void commit();
    void carry_out(std::vector<work>& together);
    void fail(std::vector<work>& together, const std::string& why);
    void tell(const work& each);

    boost::asio::io_context& io_;
    ledger& book_;
    report& said_;
    std::vector<work> waiting_;
};

}  // namespace leasebox::apps
