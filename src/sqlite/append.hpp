// The one INSERT of the library, for its own connection and for the application's.
#pragma once

#include "leasebox/core/event.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace leasebox::sqlite {

/// Keeps the prepared INSERT of one connection. Must end before the connection is closed.
class appender {
public:
    explicit appender(sqlite3* database);
    ~appender();
    appender(const appender&) = delete;
    appender& operator=(const appender&) = delete;

    /// Throws leasebox::error; where a rule refused the event, with the rule's sentence.
    receipt append(const draft& event);

private:
    void bind(const draft& event, const std::string& headers);

    sqlite3* database_;
    sqlite3_stmt* insert_ = nullptr;
};

}  // namespace leasebox::sqlite
