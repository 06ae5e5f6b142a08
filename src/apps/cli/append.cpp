#include <unistd.h>

#include <array>
#include <boost/json/object.hpp>
#include <fstream>
#include <iostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/jsonl.hpp"
#include "apps/cli/values.hpp"

namespace leasebox::apps {
namespace {

// Bytes for a file named on the command line, where "-" is stdin. An empty one is no error.
std::string read_all(const std::string& path) {
    std::ifstream file;
    if (path != "-") file.open(path, std::ios::binary);
    std::istream& in = path == "-" ? std::cin : file;
    std::string bytes;
    std::array<char, 64 * 1024> piece{};
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
        bytes.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (!in.eof()) throw error(errc::io, path + " can't be read");
    return bytes;
}

struct append_options {
    std::string destination;
    std::string id;
    std::string key;
    std::string type;
    std::string content_type = "application/json";
    std::vector<std::string> headers;
    std::optional<milliseconds> delay;
    std::optional<milliseconds> lifetime;
    std::optional<int> attempts_max;
    std::string payload;
    std::string file;
    std::string jsonl;
    CLI::Option* has_payload = nullptr;
};

void add_headers(draft& event, const std::vector<std::string>& headers) {
    for (const std::string& each : headers) {
        const std::size_t split = each.find('=');
        if (split == std::string::npos || split == 0) {
            throw usage_error("--header: '" + each + "' must be NAME=VALUE");
        }
        event.headers[each.substr(0, split)] = each.substr(split + 1);
    }
}

draft single_event(const append_options& chosen) {
    if (chosen.destination.empty()) throw usage_error("--destination (-d) is missing");
    draft event(chosen.destination, {});
    event.payload = !chosen.file.empty()    ? read_all(chosen.file)
                    : chosen.payload == "-" ? read_all("-")
                                            : chosen.payload;
    event.id = chosen.id;
    if (!chosen.key.empty()) event.key = chosen.key;
    if (!chosen.type.empty()) event.type = chosen.type;
    event.content_type = chosen.content_type;
    add_headers(event, chosen.headers);
    event.delay = chosen.delay.value_or(milliseconds{0});
    event.lifetime = chosen.lifetime;
    event.attempts_max = chosen.attempts_max;
    return event;
}

void print_ids(const std::vector<receipt>& receipts, const context& common) {
    for (const receipt& each : receipts) {
        if (common.json()) {
            common.print({{"id", each.id}, {"seq", each.seq}});
        } else {
            std::cout << each.id << "\n";
        }
    }
    std::cout.flush();
    if (!std::cout) {
        throw error(errc::io, "the ids can't be written to stdout; nothing was appended");
    }
}

// All events of one call are one transaction. The ids are printed inside it, so that whoever
// reads them knows what to ask for even if the commit's own answer is lost.
void append_all(store& events, std::vector<draft> drafts, const context& common) {
    const bool show = drafts.size() > 1 && isatty(STDERR_FILENO) != 0;
    transact_request request;
    request.run = [&](transaction& open) {
        std::vector<receipt> receipts;
        for (const draft& event : drafts) {
            receipts.push_back(open.append(event));
            if (show && receipts.size() % 1000 == 0) {
                std::cerr << "\r" << receipts.size() << " of " << drafts.size() << " appended";
            }
        }
        if (show) std::cerr << "\r\x1b[K";
        print_ids(receipts, common);
    };
    commit_one<transact_reply>(events, std::move(request));
}

void append(const append_options& chosen, const context& common) {
    const int sources = (chosen.has_payload->count() > 0 ? 1 : 0) + (chosen.file.empty() ? 0 : 1) +
                        (chosen.jsonl.empty() ? 0 : 1);
    if (sources != 1) throw usage_error("give one of PAYLOAD, --file and --jsonl");
    if (chosen.jsonl.empty()) {
        std::vector<draft> one{single_event(chosen)};
        append_all(*common.open_store(true), std::move(one), common);
        return;
    }
    std::ifstream file;
    if (chosen.jsonl != "-") {
        file.open(chosen.jsonl);
        if (!file) throw error(errc::io, chosen.jsonl + " can't be read");
    }
    std::istream& in = chosen.jsonl == "-" ? std::cin : file;
    const auto events = common.open_store(true);
    append_jsonl(*events, in, chosen.jsonl, chosen.destination, common);
}

}  // namespace

void print_receipts(const std::vector<receipt>& receipts, const context& common) {
    print_ids(receipts, common);
}

void add_append(CLI::App& program, context& common) {
    auto chosen = std::make_shared<append_options>();
    CLI::App* command = program.add_subcommand("append", "append events, all or none of them");
    common.add_common(*command);
    const auto add_text = [&](const char* name, std::string& into, const char* about) {
        return command->add_option(name, into, about)->check(not_empty);
    };
    add_text("-d,--destination", chosen->destination, "who it is for");
    add_text("--id", chosen->id, "its identity (default: a new UUID)");
    add_text("--key", chosen->key, "ordering key: one at a time, in order of append");
    add_text("--type", chosen->type, "such as order.placed");
    add_text("--content-type", chosen->content_type, "of the payload")->capture_default_str();
    command->add_option("--header", chosen->headers, "NAME=VALUE, sent with every attempt")
        ->allow_extra_args(false);
    add_duration(*command, "--delay", chosen->delay, "before the first attempt");
    add_duration(*command, "--lifetime", chosen->lifetime, "until it is given up");
    add_count(*command, "--attempts-max", chosen->attempts_max, 1'000'000,
              "attempts until it is given up");
    chosen->has_payload =
        command->add_option("payload", chosen->payload, "the payload; - is stdin");
    add_text("--file", chosen->file, "the payload's file; - is stdin");
    add_text("--jsonl", chosen->jsonl,
             "one JSON object a line with the columns of leasebox_event; - is stdin");
    command->callback([chosen, &common] { append(*chosen, common); });
}

}  // namespace leasebox::apps
