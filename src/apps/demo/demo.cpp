#include "apps/demo/demo.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "apps/demo/child.hpp"
#include "leasebox/sqlite/store.hpp"

namespace leasebox::apps {
namespace {

using namespace std::chrono_literals;

constexpr int events_in_demo = 24;
constexpr const char* owner_name = "worker";  // of all dispatchers: a name proves nothing

class demo {
public:
    demo();
    ~demo();
    int run();

private:
    std::unique_ptr<child> start_dispatcher(const std::string& name, bool until_idle = false);
    void start_consumer();
    void append_events();
    void kill_one(std::unique_ptr<child> dispatcher, const std::string& owner);
    void pause_one(child& paused, const std::string& owner);
    void show_refusals(const std::string& name);
    int show_result();

    std::vector<event_status> claimed_by(const std::string& owner);
    void wait_for_sends(const std::string& owner);
    std::string owner_of(const std::string& name);
    std::vector<boost::json::object> lines_of(const std::string& file) const;
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void step(const std::string& title) { std::cout << "\n" << ++step_ << ". " << title << "\n"; }
    void wait_for(const char* what, const std::function<bool()>& reached) const;
    void print_claims(const std::vector<event_status>& held) const;

    std::filesystem::path folder_;
    std::unique_ptr<store> store_;
    std::unique_ptr<child> consumer_;
    std::string url_;
    int step_ = 0;
};

demo::demo() {
    std::string pattern = (std::filesystem::temp_directory_path() / "leasebox-demo-XXXXXX");
    if (mkdtemp(pattern.data()) == nullptr) {
        throw error(errc::io, "no directory can be made in " +
                                  std::filesystem::temp_directory_path().string());
    }
    folder_ = pattern;
    store_ = sqlite::open(path("app.db"));
}

demo::~demo() {
    consumer_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

// Looks again every few milliseconds; everything waited for is a fact in a file.
void demo::wait_for(const char* what, const std::function<bool()>& reached) const {
    const boot_time limit = system_clock().now() + 20s;
    while (!reached()) {
        if (system_clock().now() > limit) {
            throw error(errc::store_failed, std::string("the demo waited too long for ") + what);
        }
        std::this_thread::sleep_for(5ms);
    }
}

std::vector<boost::json::object> demo::lines_of(const std::string& file) const {
    std::vector<boost::json::object> lines;
    std::ifstream in(path(file));
    for (std::string line; std::getline(in, line);) {
        boost::json::error_code failed;
        boost::json::value parsed = boost::json::parse(line, failed);
        if (!failed && parsed.is_object()) lines.push_back(std::move(parsed.as_object()));
    }
    return lines;
}

void demo::start_consumer() {
    consumer_ = std::make_unique<child>(
        std::vector<std::string>{"receive", "--listen", "127.0.0.1:0", "--inbox", path("inbox.db"),
                                 "--delay", "300ms", "--json"},
        path("consumer.out"), path("consumer.log"));
    wait_for("the consumer", [&] {
        for (const auto& line : lines_of("consumer.out")) {
            if (line.contains("url")) url_ = line.at("url").as_string().c_str();
        }
        return !url_.empty();
    });
}

std::unique_ptr<child> demo::start_dispatcher(const std::string& name, bool until_idle) {
    std::vector<std::string> arguments{"run",
                                       "--store",
                                       path("app.db"),
                                       "--to",
                                       "demo=" + url_,
                                       "--owner",
                                       owner_name,
                                       "--in-flight",
                                       "4",
                                       "--lease",
                                       "2500ms",
                                       "--attempt-timeout",
                                       "1500ms",
                                       "--lease-margin",
                                       "500ms",
                                       "--backoff-first",
                                       "50ms",
                                       "--backoff-max",
                                       "200ms",
                                       "--log-json",
                                       "--log-level",
                                       "debug"};
    if (until_idle) arguments.push_back("--until-idle");
    return std::make_unique<child>(arguments, path(name + ".out"), path(name + ".log"));
}

// The owner that a dispatcher's claims carry, from its own log.
std::string demo::owner_of(const std::string& name) {
    std::string owner;
    wait_for("a dispatcher to start", [&] {
        for (const auto& line : lines_of(name + ".log")) {
            if (line.at("msg") == "dispatcher started")
                owner = line.at("owner").as_string().c_str();
        }
        return !owner.empty();
    });
    return owner;
}

std::vector<event_status> demo::claimed_by(const std::string& owner) {
    list_filter claimed;
    claimed.at = state::claimed;
    std::vector<event_status> held = store_->list(claimed);
    std::erase_if(held, [&](const event_status& each) { return each.row.owner != owner; });
    return held;
}

// Waits until the owner holds claims whose requests have all reached the consumer, which answers
// a little later.
void demo::wait_for_sends(const std::string& owner) {
    wait_for("sends in flight", [&] {
        const std::vector<event_status> held = claimed_by(owner);
        std::map<std::string, bool> received;
        for (const auto& line : lines_of("consumer.out")) {
            if (line.contains("id")) received[line.at("id").as_string().c_str()] = true;
        }
        return held.size() >= 2 &&
               std::all_of(held.begin(), held.end(),
                           [&](const event_status& each) { return received[each.id]; });
    });
}

void demo::print_claims(const std::vector<event_status>& held) const {
    for (const event_status& each : held) {
        std::cout << "   " << each.id << "  generation " << each.row.generation << ", attempt "
                  << each.row.attempts << ", owner " << each.row.owner << "\n";
    }
}

void demo::append_events() {
    step("An application appends " + std::to_string(events_in_demo) + " events in one transaction");
    append_request request;
    for (int at = 1; at <= events_in_demo; ++at) {
        draft event("demo", "{\"n\":" + std::to_string(at) + "}");
        event.id = "event-" + std::string(at < 10 ? "0" : "") + std::to_string(at);
        request.drafts.push_back(std::move(event));
    }
    const std::vector<operation> batch{std::move(request)};
    store_->commit(batch);
    std::cout << "   store: " << store_->stats().destinations["demo"].events[state::pending]
              << " pending\n";
}

void demo::kill_one(std::unique_ptr<child> dispatcher, const std::string& owner) {
    step("The first dispatcher is killed with SIGKILL while it sends");
    wait_for_sends(owner);
    dispatcher->signal(SIGKILL);
    dispatcher->wait();
    const std::vector<event_status> held = claimed_by(owner);
    std::cout << "   it leaves " << held.size() << " claims behind:\n";
    print_claims(held);
}

void demo::pause_one(child& paused, const std::string& owner) {
    step("The second dispatcher is stopped with SIGSTOP, past its lease; a third one starts");
    wait_for_sends(owner);
    paused.signal(SIGSTOP);
    const std::vector<event_status> held = claimed_by(owner);
    std::cout << "   it holds " << held.size() << " claims:\n";
    print_claims(held);
    const auto third = start_dispatcher("third", true);
    const std::string reclaimer = owner_of("third");
    std::cout << "   same name, other owner: " << reclaimer << "\n";
    wait_for("the third dispatcher to finish", [&] { return third->ended(); });
    paused.signal(SIGCONT);
    wait_for("the second dispatcher's reports", [&] {
        const auto lines = lines_of("second.log");
        return std::count_if(lines.begin(), lines.end(), [](const auto& line) {
                   return line.contains("verdict") && line.at("verdict") != "accepted";
               }) >= static_cast<std::ptrdiff_t>(held.size());
    });
    paused.signal(SIGTERM);
    paused.wait();
}

void demo::show_refusals(const std::string& name) {
    step("The second dispatcher woke up and reported: its acknowledgments were refused");
    for (const auto& line : lines_of(name + ".log")) {
        if (!line.contains("verdict") || line.at("verdict") == "accepted") continue;
        const std::string id = line.at("id").as_string().c_str();
        const auto now = store_->status(id);
        std::cout << "   " << id << "  reported " << line.at("outcome").as_string().c_str()
                  << " under generation " << line.at("generation").as_int64() << ": "
                  << line.at("verdict").as_string().c_str() << " (the event is at generation "
                  << now->row.generation << ")"
                  << (line.contains("evidence") ? ", kept as evidence" : "") << "\n";
    }
}

int demo::show_result() {
    step("What the store and the consumer say about each event");
    std::map<std::string, int> requests;
    std::map<std::string, int> applied;
    for (const auto& line : lines_of("consumer.out")) {
        if (!line.contains("id")) continue;
        const std::string id = line.at("id").as_string().c_str();
        requests[id] += 1;
        if (line.at("verdict") == "first") applied[id] += 1;
    }
    int right = 0;
    int duplicates = 0;
    for (const event_status& each : store_->list({})) {
        std::cout << "   " << each.id << "  " << to_string(each.row.at) << "  ";
        for (const attempt_record& tried : store_->attempts(each.id)) {
            std::cout << "[generation " << tried.generation << ": "
                      << (tried.result ? to_string(*tried.result) : "open")
                      << (tried.late ? ", late" : "") << "] ";
        }
        std::cout << " received " << requests[each.id] << ", applied " << applied[each.id] << "\n";
        duplicates += std::max(0, requests[each.id] - 1);
        right += each.row.at == state::delivered && applied[each.id] == 1 ? 1 : 0;
    }
    std::cout << "\n"
              << right << " of " << events_in_demo << " events delivered and applied once; "
              << duplicates << " duplicate deliveries, all recognised by the consumer's inbox\n";
    return right == events_in_demo ? 0 : 1;
}

int demo::run() {
    std::cout << "Two dispatchers with one name, a slow consumer, and trouble.\n";
    append_events();
    start_consumer();
    auto first = start_dispatcher("first");
    const auto second = start_dispatcher("second");
    const std::string first_owner = owner_of("first");
    const std::string second_owner = owner_of("second");
    step("Two dispatchers start, both named \"" + std::string(owner_name) + "\"");
    std::cout << "   owners " << first_owner << " and " << second_owner << "\n";
    kill_one(std::move(first), first_owner);
    pause_one(*second, second_owner);
    show_refusals("second");
    return show_result();
}

}  // namespace

int run_demo() {
    return demo().run();
}

}  // namespace leasebox::apps
