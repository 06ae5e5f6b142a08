// A SQLite VFS in front of the real one that fails when it is told to.
#pragma once

#include <sqlite3.h>

#include <atomic>

namespace leasebox::testing {

/// While one exists, every database that is opened goes through it. One at a time.
class fault_vfs {
public:
    fault_vfs();
    ~fault_vfs();
    fault_vfs(const fault_vfs&) = delete;
    fault_vfs& operator=(const fault_vfs&) = delete;

    /// Writes and syncs fail with this code from now on; SQLITE_OK heals.
    void fail_writes(int code) { write_code_ = code; }

    /// The nth write or sync from now fails with `code`, once, or for ever where `persistent`.
    void fail_nth(int nth, int code, bool persistent);
    /// Whether that has happened.
    bool struck() const { return struck_; }
    void heal();

    /// What a write has to return; counts it.
    int next_write();

private:
    std::atomic<int> write_code_{SQLITE_OK};
    std::atomic<int> until_strike_{0};
    std::atomic<int> strike_code_{SQLITE_OK};
    std::atomic<bool> persistent_{false};
    std::atomic<bool> struck_{false};
};

}  // namespace leasebox::testing
