#include "conformance.hpp"

namespace leasebox::testing {
namespace {

LEASEBOX_ON_EVERY_STORE(append_rules);

// The rules of the table, one by one: what is at the border and what is just beyond it.
struct rule_case {
    const char* situation;
    std::function<void(draft&)> change;
};

draft changed(const rule_case& by) {
    draft event("billing", "{}");
    by.change(event);
    return event;
}

std::string of_length(std::size_t count) {
    return std::string(count, 'x');
}

TEST_P(append_rules, what_keeps_the_rules_is_taken) {
    const std::vector<rule_case> kept = {
        {"every mark of a destination", [](draft& it) { it.destination = "A-z_0.9:x"; }},
        {"the longest destination", [](draft& it) { it.destination = of_length(200); }},
        {"every mark of an id", [](draft& it) { it.id = "A-z_09:x"; }},
        {"the longest id", [](draft& it) { it.id = of_length(200); }},
        {"a key of any bytes", [](draft& it) { it.key = "k \x01 \xC3\xA9 '"; }},
        {"the longest key", [](draft& it) { it.key = of_length(200); }},
        {"the longest type", [](draft& it) { it.type = of_length(200); }},
        {"a type in Unicode",
         [](draft& it) {
             it.type =
                 "commande.pass\xC3\xA9"
                 "e";
         }},
        {"the longest content type", [](draft& it) { it.content_type = of_length(200); }},
        {"every mark of a header name", [](draft& it) { it.headers["!#$%&'*+-.^_`|~aZ9"] = ""; }},
        {"a header value in Unicode", [](draft& it) { it.headers["x"] = "caf\xC3\xA9"; }},
        {"headers of 16 KiB", [](draft& it) { it.headers["x"] = of_length(16 * 1024 - 8); }},
        {"a payload of 1 MiB", [](draft& it) { it.payload = of_length(1024 * 1024); }},
        {"one attempt", [](draft& it) { it.attempts_max = 1; }},
        {"a million attempts", [](draft& it) { it.attempts_max = 1'000'000; }},
        {"a lifetime of a millisecond", [](draft& it) { it.lifetime = 1ms; }},
    };
    for (const rule_case& each : kept) {
        const reply done = run_all({append_request{{changed(each)}}}).at(0);
        const auto* failed = std::get_if<failure>(&done);
        EXPECT_EQ(failed, nullptr) << each.situation << ": " << (failed ? failed->sentence : "");
    }
}

// `column` is named in the sentence, so that the producer can mend it.
void expect_refused(const reply& done, const std::string& column, const char* situation) {
    const auto* failed = std::get_if<failure>(&done);
    ASSERT_NE(failed, nullptr) << situation;
    EXPECT_EQ(failed->code, errc::invalid_event) << situation;
    EXPECT_EQ(failed->sentence.rfind("leasebox: " + column + ": ", 0), 0U)
        << situation << ": " << failed->sentence;
}

TEST_P(append_rules, a_bad_name_is_refused_with_a_sentence) {
    const std::vector<rule_case> destinations = {
        {"no destination", [](draft& it) { it.destination.clear(); }},
        {"a destination too long", [](draft& it) { it.destination = of_length(201); }},
        {"a destination with a space", [](draft& it) { it.destination = "a b"; }},
        {"a destination in Unicode", [](draft& it) { it.destination = "caf\xC3\xA9"; }},
        {"a destination with NUL", [](draft& it) { it.destination = std::string("a\0b", 3); }},
    };
    const std::vector<rule_case> ids = {
        {"an id too long", [](draft& it) { it.id = of_length(201); }},
        {"an id with a dot", [](draft& it) { it.id = "a.b"; }},
        {"an id with a line break", [](draft& it) { it.id = "a\n"; }},
        {"an id with NUL", [](draft& it) { it.id = std::string("a\0b", 3); }},
    };
    const std::vector<rule_case> keys = {
        {"an empty key", [](draft& it) { it.key = ""; }},
        {"a key too long", [](draft& it) { it.key = of_length(201); }},
        {"a key with NUL", [](draft& it) { it.key = std::string("a\0b", 3); }},
    };
    const std::map<std::string, std::vector<rule_case>> all = {
        {"destination", destinations}, {"id", ids}, {"key", keys}};
    for (const auto& [column, cases] : all) {
        for (const rule_case& each : cases) {
            expect_refused(run_all({append_request{{changed(each)}}}).at(0), column,
                           each.situation);
        }
    }
    EXPECT_TRUE(subject->list({}).empty());
}

TEST_P(append_rules, bad_content_is_refused_with_a_sentence) {
    const std::vector<rule_case> types = {
        {"an empty type", [](draft& it) { it.type = ""; }},
        {"a type too long", [](draft& it) { it.type = of_length(201); }},
        {"a type with a line break", [](draft& it) { it.type = "a\r\nb"; }},
        {"a type with DEL", [](draft& it) { it.type = "a\x7F"; }},
        {"a type with NUL", [](draft& it) { it.type = std::string("a\0b", 3); }},
    };
    const std::vector<rule_case> content_types = {
        {"no content type", [](draft& it) { it.content_type.clear(); }},
        {"a content type too long", [](draft& it) { it.content_type = of_length(201); }},
        {"a content type with a line break", [](draft& it) { it.content_type = "a\r\nb"; }},
        {"a content type in Unicode", [](draft& it) { it.content_type = "caf\xC3\xA9"; }},
    };
    const std::vector<rule_case> payloads = {
        {"a payload too large", [](draft& it) { it.payload = of_length(1024 * 1024 + 1); }},
    };
    const std::vector<rule_case> headers = {
        {"a header without a name", [](draft& it) { it.headers[""] = "x"; }},
        {"a header name with a colon", [](draft& it) { it.headers["a:b"] = "x"; }},
        {"a header name with a line break", [](draft& it) { it.headers["a\r\nb"] = "x"; }},
        {"a header that smuggles another", [](draft& it) { it.headers["x"] = "a\r\nhost: evil"; }},
        {"a header value with NUL", [](draft& it) { it.headers["x"] = std::string("a\0b", 3); }},
        {"a header value with DEL", [](draft& it) { it.headers["x"] = "a\x7F"; }},
        {"headers beyond 16 KiB", [](draft& it) { it.headers["x"] = of_length(16 * 1024 - 7); }},
    };
    const std::map<std::string, std::vector<rule_case>> all = {{"type", types},
                                                               {"content_type", content_types},
                                                               {"payload", payloads},
                                                               {"headers", headers}};
    for (const auto& [column, cases] : all) {
        for (const rule_case& each : cases) {
            expect_refused(run_all({append_request{{changed(each)}}}).at(0), column,
                           each.situation);
        }
    }
    EXPECT_TRUE(subject->list({}).empty());
}

TEST_P(append_rules, a_bad_limit_is_refused_with_a_sentence) {
    draft negative("billing", "{}");
    negative.delay = -1ms;
    expect_refused(run_all({append_request{{negative}}}).at(0), "delay", "a negative delay");
    for (const milliseconds each : {0ms, -1ms, milliseconds::min()}) {
        draft event("billing", "{}");
        event.lifetime = each;
        expect_refused(run_all({append_request{{event}}}).at(0), "lifetime", "no lifetime");
    }
    for (const int each : {0, -1, 1'000'001}) {
        draft event("billing", "{}");
        event.attempts_max = each;
        expect_refused(run_all({append_request{{event}}}).at(0), "attempts_max", "no attempts");
    }
}

}  // namespace
}  // namespace leasebox::testing
