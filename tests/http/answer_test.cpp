// The reader as a dialogue: these bytes came, in these pieces; this is what is known.
#include "http/answer.hpp"

#include <gtest/gtest.h>

namespace leasebox::http {
namespace {

// A reader that was fed `text` in pieces of `step` bytes, until it wanted no more.
struct fed : answer_reader {
    fed(const std::string& text, std::size_t step, bool end = false) {
        for (std::size_t at = 0; at < text.size() && !finished(); at += step) {
            put(std::string_view(text).substr(at, step));
        }
        if (end && !finished()) put_end();
    }
};

struct example {
    const char* text;
    int status;
    bool finished;
    bool reusable;
};

TEST(answer, is_the_same_in_whatever_pieces_it_comes) {
    for (const example& one : std::initializer_list<example>{
             {"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200, true, true},
             {"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, true, true},
             {"HTTP/1.1 204 No\r\n\r\n", 204, true, true},
             {"HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\n", 204, true, true},
             {"HTTP/1.1 304 No\r\ncontent-length: 5\r\n\r\n", 304, true, true},
             {"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok", 200, false, false},
             {"HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n", 200, true, false},
             {"HTTP/1.1 500 OK\r\ncontent-length: 9999999\r\n\r\n", 500, false, false},
             {"HTTP/1.1 200 OK\r\n\r\n", 200, true, false},
             {"HTTP/1.1 500 OK\r\n\r\n", 500, false, false},
             {"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", 200, true, false},
             {"HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n", 200, true,
              true},
             {"HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 0\r\n\r\n", 200, true,
              false},
             {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200,
              true, true},
             {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;e=f\r\nok\r\n0\r\nt: "
              "x\r\n\r\n",
              200, true, true},
             {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n", 200, false,
              false},
             {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n", 200, true,
              false},
             {"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\nlink: x\r\n\r\nHTTP/1.1 500 E\r\n"
              "content-length: 0\r\n\r\n",
              500, true, true},
             {"HTTP/1.1 100 C\r\n\r\n", 0, false, false},
             {"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", 200, true, false},
             {"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 200, true,
              false},
             {"HTTP/1.1 200 OK\r\ncontent-length: 5", 0, false, false},
             {"HTTP/1.1 101 Switch\r\nupgrade: x\r\n\r\n", 0, true, false},
             {"HTTP/1.1 099 Odd\r\n\r\n", 0, true, false},
             {"HTTP/1.1 20 Odd\r\n\r\n", 0, true, false},
             {"HTTP/2.0 200 OK\r\n\r\n", 0, true, false},
             {"HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n", 0, true, false},
             {"\x16\x03\x01\r\n\r\n", 0, true, false}}) {
        for (std::size_t step = 1; step < 100; step += step < 8 ? 1 : 30) {
            const fed reader(one.text, step);
            EXPECT_EQ(reader.status(), one.status) << one.text << " in steps of " << step;
            EXPECT_EQ(reader.finished(), one.finished) << one.text << " in steps of " << step;
            EXPECT_EQ(reader.reusable(), one.reusable) << one.text << " in steps of " << step;
            EXPECT_EQ(reader.trouble().empty(), !one.finished || one.status != 0) << one.text;
        }
    }
}

TEST(answer, the_end_of_the_connection_ends_it) {
    EXPECT_EQ(fed("", 1, true).trouble(), "the connection was closed without an answer");
    EXPECT_EQ(fed("HTTP/1.1 200 OK\r\n", 7, true).trouble(),
              "the connection was closed inside the answer's head");
    const fed cut("HTTP/1.1 500 E\r\ncontent-length: 9\r\n\r\nabc", 99, true);
    EXPECT_EQ(cut.status(), 500);
    EXPECT_EQ(cut.excerpt(), "abc");
    EXPECT_FALSE(cut.reusable());
}

TEST(answer, heads_are_bounded_together) {
    const std::string interim = "HTTP/1.1 103 E\r\nlink: " + std::string(1000, 'x') + "\r\n\r\n";
    std::string many;
    for (int count = 0; count < 100; ++count)
        many += interim;
    EXPECT_EQ(fed(many, 4096).trouble(), "the answer's head is longer than 64 KiB");
    const std::string filler(60'000, 'x');
    EXPECT_EQ(fed("HTTP/1.1 200 OK\r\nx: " + filler + "\r\n\r\n", 4096).status(), 200);
    EXPECT_EQ(fed("HTTP/1.1 200 OK\r\nx: " + filler + filler, 4096).status(), 0);
}

TEST(answer, an_endless_chunk_header_ends_it) {
    const std::string head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;";
    const fed reader(head + std::string(200'000, 'x'), 4096);
    EXPECT_EQ(reader.status(), 200);
    EXPECT_TRUE(reader.finished());
    EXPECT_FALSE(reader.reusable());
}

TEST(answer, only_the_beginning_of_a_body_is_kept) {
    const fed reader("HTTP/1.1 500 E\r\ncontent-length: 90000\r\n\r\n" + std::string(90'000, 'x'),
                     4096);
    EXPECT_EQ(reader.excerpt(), std::string(excerpt_bytes_max, 'x'));
    EXPECT_TRUE(reader.reusable());
}

TEST(answer, a_body_above_the_bound_is_not_read_on) {
    const std::string head = "HTTP/1.1 500 E\r\ntransfer-encoding: chunked\r\n\r\n";
    const std::string chunk = "10000\r\n" + std::string(65'536, 'x') + "\r\n";
    std::string text = head;
    for (int count = 0; count < 20; ++count)
        text += chunk;
    const fed reader(text, 4096);
    EXPECT_TRUE(reader.finished());
    EXPECT_FALSE(reader.reusable());
}

TEST(answer, bytes_behind_the_message_forbid_reuse) {
    const std::string one = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    EXPECT_FALSE(fed(one + one, 4096).reusable());
    EXPECT_FALSE(fed(one + "x", 4096).reusable());
}

TEST(answer, headers_are_found_in_any_case) {
    const fed reader("HTTP/1.1 503 E\r\nRETRY-after:  5 \r\n\r\n", 4096);
    EXPECT_EQ(reader.header("retry-after"), "5");
    EXPECT_EQ(reader.header("location"), "");
}

}  // namespace
}  // namespace leasebox::http
