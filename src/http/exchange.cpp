#include "http/exchange.hpp"

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/answer.hpp"
#include "http/cancelled.hpp"

namespace leasebox::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// Shared with the write's handler, which may run after the exchange has ended.
struct upload {
    std::shared_ptr<const std::string> bytes;
    std::size_t written = 0;
    bool ended = false;
    error_code failed;

    bool complete() const { return ended && !failed; }
};

std::shared_ptr<upload> start_upload(connection& link, std::shared_ptr<const std::string> bytes) {
    const auto running = std::make_shared<upload>();
    running->bytes = std::move(bytes);
    link.start_write(*running->bytes,
                     [running](std::size_t written, bool ended, const error_code& failed) {
                         running->written = written;
                         running->ended = ended;
                         running->failed = failed;
                     });
    return running;
}

bool is_close(const error_code& failed) {
    return failed == asio::error::eof || failed == asio::error::connection_reset ||
           failed == asio::error::broken_pipe || failed == asio::ssl::error::stream_truncated;
}

// Reads until there is nothing more to learn, an error, or cancellation.
asio::awaitable<error_code> read_answer(connection& link, answer_reader& answer) {
    std::array<char, 8192> buffer;
    error_code failed;
    while (!answer.finished() && !failed) {
        const std::size_t count = co_await link.read_some(buffer, failed);
        answer.put({buffer.data(), count});
        if (co_await is_cancelled()) {
            // Where this process was stopped past its deadline, the answer may have come meanwhile.
            const std::string_view arrived(buffer.data(), link.read_arrived(buffer));
            answer.put(arrived);
            failed = asio::error::operation_aborted;
        }
        if (is_close(failed)) answer.put_end();
    }
    co_return failed;
}

// The answer may be read before the write's own completion has had its turn.
asio::awaitable<void> let_the_write_end(const upload& sent) {
    for (int turn = 0; turn < 3 && !sent.ended; ++turn) {
        co_await asio::post(asio::use_awaitable);
    }
}

std::string sentence_of(const answer_reader& answer, const error_code& failed) {
    if (!answer.trouble().empty() && failed != asio::error::connection_reset) {
        return answer.trouble();
    }
    return "the connection failed before an answer: " + failed.message();
}

void note(progress& so_far, const upload& sent, const answer_reader& answer,
          const error_code& failed) {
    so_far.bytes_written += static_cast<std::int64_t>(sent.written);
    if (sent.complete()) so_far.reached = phase::written;
    so_far.status = answer.status();
    if (so_far.status == 0) {
        so_far.trouble = sentence_of(answer, failed);
        return;
    }
    so_far.retry_after = answer.header("retry-after");
    so_far.location = answer.header("location");
    so_far.excerpt = answer.excerpt();
}

}  // namespace

asio::awaitable<exchange_end> exchange(std::shared_ptr<connection> link,
                                       std::shared_ptr<const std::string> request,
                                       progress& so_far) {
    if (so_far.reached < phase::writing) so_far.reached = phase::writing;
    const auto sent = start_upload(*link, std::move(request));
    answer_reader answer;
    const error_code failed = co_await read_answer(*link, answer);
    if (answer.reusable()) co_await let_the_write_end(*sent);
    note(so_far, *sent, answer, failed);
    exchange_end end;
    end.reusable = answer.reusable() && !failed && sent->complete();
    end.unheard = is_close(failed) && !answer.started();
    co_return end;
}

}  // namespace leasebox::http
