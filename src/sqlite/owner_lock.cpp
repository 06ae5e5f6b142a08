#include "sqlite/owner_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace leasebox::sqlite {
namespace {

file_identity identity_of(const struct stat& about) {
    return {static_cast<std::int64_t>(about.st_dev), static_cast<std::int64_t>(about.st_ino)};
}

}  // namespace

std::optional<file_identity> identity_of(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) return std::nullopt;
    return identity_of(about);
}

std::optional<owner_lock> owner_lock::make(const std::string& path) {
    // Close-on-exec, so that a program which the owner starts does not keep it alive.
    return lock(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), path);
}

std::optional<owner_lock> owner_lock::take(const std::string& path,
                                           const file_identity& registered) {
    std::optional<owner_lock> taken = lock(open(path.c_str(), O_RDWR | O_CLOEXEC), path);
    if (taken && taken->identity_ != registered) taken.reset();
    return taken;
}

std::optional<owner_lock> owner_lock::lock(int file, const std::string& path) {
    if (file < 0) return std::nullopt;
    struct stat about {};
    if (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &about) != 0) {
        close(file);
        return std::nullopt;
    }
    return owner_lock(file, path, identity_of(about));
}

owner_lock::owner_lock(int file, std::string path, const file_identity& identity)
    : file_(file), path_(std::move(path)), identity_(identity) {}

owner_lock::owner_lock(owner_lock&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      identity_(other.identity_) {}

owner_lock::~owner_lock() {
    if (file_ >= 0) close(file_);
}

void owner_lock::remove() const { unlink(path_.c_str()); }

}  // namespace leasebox::sqlite
