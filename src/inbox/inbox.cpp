#include "leasebox/inbox.hpp"

#include <openssl/evp.h>

#include "inbox/statements.hpp"

namespace leasebox::inbox {
namespace {

// Runs `act`, telling SQLite's errors in our words.
template <class Act>
auto in_our_words(const char* doing, Act act) {
    try {
        return act();
    } catch (const SQLite::Exception& thrown) {
        fail(thrown, doing);
    }
}

std::string sha256(std::string_view bytes) {
    std::string hash(32, '\0');
    unsigned int length = 0;
    const int done = EVP_Digest(bytes.data(), bytes.size(),
                                reinterpret_cast<unsigned char*>(hash.data()), &length,
                                EVP_sha256(), nullptr);
    if (done != 1 || length != hash.size()) throw error(errc::store_failed, "no SHA-256");
    return hash;
}

void bind_text(SQLite::Statement& statement, int at, std::string_view text) {
    statement.bind(at, std::string(text));
}

void bind_blob(SQLite::Statement& statement, int at, std::string_view bytes) {
    // A null pointer would be bound as NULL.
    statement.bind(at, bytes.empty() ? "" : bytes.data(), static_cast<int>(bytes.size()));
}

std::string bytes_of(const SQLite::Column& column) {
    const auto* bytes = static_cast<const char*>(column.getBlob());
    return bytes == nullptr ? std::string() : std::string(bytes, std::size_t(column.getBytes()));
}

struct known_event {
    bool applied = false;
    std::int64_t generation = 0;
    int status = 0;
    std::string answer;
    std::string body_hash;
};

known_event find(SQLite::Database& database, std::string_view id) {
    SQLite::Statement statement(database, find_sql);
    bind_text(statement, 1, id);
    known_event known;
    if (!statement.executeStep()) return known;
    known.generation = statement.getColumn(0).getInt64();
    known.applied = !statement.getColumn(1).isNull();
    if (known.applied) known.status = statement.getColumn(1).getInt();
    known.answer = bytes_of(statement.getColumn(2));
    known.body_hash = bytes_of(statement.getColumn(3));
    return known;
}

void raise(SQLite::Database& database, std::string_view id, std::int64_t generation) {
    SQLite::Statement statement(database, raise_sql);
    bind_text(statement, 1, id);
    statement.bind(2, generation);
    statement.exec();
}

// The number of rows that were written.
int receive(SQLite::Database& database, const char* sql, const message& delivered,
            const std::string& hash) {
    SQLite::Statement statement(database, sql);
    bind_text(statement, 1, delivered.id);
    bind_text(statement, 2, delivered.source);
    if (delivered.key) bind_text(statement, 3, *delivered.key);
    if (delivered.lane_seq) statement.bind(4, *delivered.lane_seq);
    statement.bind(5, delivered.generation);
    statement.bind(6, to_ms(delivered.received_at));
    bind_blob(statement, 7, hash);
    return statement.exec();
}

decision decide(SQLite::Database& database, const message& delivered) {
    const std::string hash = sha256(delivered.body);
    // Nearly every delivery is the first, so that comes before any question.
    if (receive(database, receive_sql, delivered, hash) == 1) return {arrival::first, 0, {}};
    known_event known = find(database, delivered.id);
    if (known.applied) {
        const bool same = known.body_hash == hash;
        if (same && delivered.generation > known.generation) {
            raise(database, delivered.id, delivered.generation);
        }
        return {same ? arrival::duplicate : arrival::conflict, known.status,
                std::move(known.answer)};
    }
    if (delivered.generation < known.generation) return {arrival::stale_generation, 0, {}};
    receive(database, receive_known_sql, delivered, hash);
    return {arrival::first, 0, {}};
}

void check_answer(int status, std::string_view answer) {
    if (status < 100 || status > 599) {
        throw error(errc::invalid_option, "status must be 100 to 599");
    }
    if (answer.size() > answer_bytes_max) {
        throw error(errc::invalid_option, "answer must have 65536 bytes or fewer");
    }
}

void check_id(std::string_view id) {
    if (id.empty()) throw error(errc::invalid_event, "id must not be empty");
}

}  // namespace

std::string_view to_string(arrival value) noexcept {
    switch (value) {
        case arrival::first: return "first";
        case arrival::duplicate: return "duplicate";
        case arrival::stale_generation: return "stale_generation";
        case arrival::conflict: return "conflict";
    }
    return "?";
}

void create_schema(SQLite::Database& database) {
    in_our_words("making the inbox", [&] { database.exec(schema_sql); });
}

decision accept(SQLite::Database& database, const message& delivered) {
    require_transaction(database, "accept()");
    check_id(delivered.id);
    return in_our_words("accepting a delivery", [&] { return decide(database, delivered); });
}

void finish(SQLite::Database& database, std::string_view id, int status, std::string_view answer) {
    require_transaction(database, "finish()");
    check_answer(status, answer);
    const int changed = in_our_words("storing an answer", [&] {
        SQLite::Statement statement(database, finish_sql);
        bind_text(statement, 1, id);
        statement.bind(2, status);
        bind_blob(statement, 3, answer);
        return statement.exec();
    });
    if (changed != 1) {
        throw error(errc::invalid_event, std::string(id) + " was not accepted, or has its answer");
    }
}

bool fence(SQLite::Database& database, std::string_view id, std::int64_t generation,
           store_time received_at) {
    require_transaction(database, "fence()");
    check_id(id);
    return in_our_words("fencing an event", [&] {
        if (find(database, id).applied) return true;
        SQLite::Statement statement(database, fence_sql);
        bind_text(statement, 1, id);
        statement.bind(2, generation);
        statement.bind(3, to_ms(received_at));
        statement.exec();
        return false;
    });
}

std::size_t prune(SQLite::Database& database, store_time older_than, std::size_t limit) {
    return in_our_words("pruning the inbox", [&] {
        SQLite::Statement statement(database, prune_sql);
        statement.bind(1, to_ms(older_than));
        statement.bind(2, static_cast<std::int64_t>(limit));
        return static_cast<std::size_t>(statement.exec());
    });
}

}  // namespace leasebox::inbox
