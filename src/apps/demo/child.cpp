#include "apps/demo/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "leasebox/core/error.hpp"

extern char** environ;

namespace leasebox::apps {
namespace {

constexpr const char* this_program = "/proc/self/exe";

int exit_code_of(int status) noexcept {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

child::child(const std::vector<std::string>& arguments, const std::string& out_path,
             const std::string& log_path) {
    std::vector<char*> argv{const_cast<char*>("leasebox")};
    for (const std::string& each : arguments)
        argv.push_back(const_cast<char*>(each.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out_path.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&files, 2, log_path.c_str(), flags, 0600);
    const int failed = posix_spawn(&id_, this_program, &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) throw error(errc::io, "a process of the demo could not be started");
}

child::~child() {
    if (waited_) return;
    signal(SIGCONT);
    signal(SIGKILL);
    wait();
}

void child::signal(int number) const {
    if (!waited_) kill(id_, number);
}

int child::wait() {
    if (!waited_) waitpid(id_, &status_, 0);
    waited_ = true;
    return exit_code_of(status_);
}

bool child::ended() {
    if (!waited_ && waitpid(id_, &status_, WNOHANG) == id_) waited_ = true;
    return waited_;
}

}  // namespace leasebox::apps
