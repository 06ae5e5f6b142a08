// A process of ours, started from this program's own file.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace leasebox::apps {

/// Ended by its own id, and waited for, when the object goes.
class child {
public:
    /// Starts this program with `arguments`; its stdout and stderr go to the two files.
    child(const std::vector<std::string>& arguments, const std::string& out_path,
          const std::string& log_path);
    ~child();
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    pid_t id() const noexcept { return id_; }
    void signal(int number) const;
    /// Waits for its end; returns its exit code, or 128 + the signal that ended it.
    int wait();
    bool ended();

private:
    pid_t id_ = -1;
    bool waited_ = false;
    int status_ = 0;
};

}  // namespace leasebox::apps
