#include "apps/receive/batcher.hpp"

#include <boost/asio/post.hpp>
#include <iostream>

#include "apps/receive/response.hpp"
#include "leasebox/core/text.hpp"

namespace leasebox::apps {

void batcher::submit(const delivery& what, bool answers, done call) {
    // The commit takes its place behind all that is ready now.
    if (waiting_.empty()) boost::asio::post(io_, [this] { commit(); });
    waiting_.push_back({&what, answers, std::move(call), {}});
}

void batcher::commit() {
    std::vector<work> together;
    together.swap(waiting_);
    carry_out(together);
    for (const work& each : together) tell(each);
    said_.flush();
    for (work& each : together) each.call(std::move(each.result));
}

void batcher::carry_out(std::vector<work>& together) {
    try {
        book_.begin();
        for (work& each : together) each.result = book_.handle(*each.what);
        book_.commit();
    } catch (const std::exception& failed) {
        book_.roll_back();
        fail(together, failed.what());
    }
}

void batcher::fail(std::vector<work>& together, const std::string& why) {
    std::cerr << "leasebox: nothing was applied: " << why << std::endl;
    for (work& each : together) {
        each.result = {"failed", 503, error_body("nothing was applied"), false};
    }
}

void batcher::tell(const work& each) {
    if (each.what->what == ask::look_up) return;
    counts& count = said_.count();
    const int status = each.result.status;
    if (each.result.verdict == "first") count.applied += 1;
    if (each.result.verdict == "duplicate") count.duplicates += 1;
    if (each.result.verdict == "stale_generation") count.stale += 1;
    if (each.result.verdict == "failed") count.failed += 1;
    if (each.result.verdict == "conflict") {
        count.conflicts += 1;
        std::cerr << "leasebox: " << clean_detail(each.what->id) << " came again with another body"
                  << std::endl;
    }
    if (!each.answers) count.dropped += 1;
    said_.handled(*each.what, each.result.verdict, each.answers ? status : 0);
}

}  // namespace leasebox::apps
