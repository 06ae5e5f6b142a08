// A file that is locked for as long as an owner's process lives.
//
// The kernel releases the lock when the process ends, however it ends, and never before: not while
// it is stopped, not while it is slow. So a lock that can be taken proves a death; anything else
// proves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace leasebox::sqlite {

/// What tells one file from another that has taken its name.
struct file_identity {
    std::int64_t device = 0;
    std::int64_t inode = 0;

    friend bool operator==(const file_identity&, const file_identity&) = default;
};

/// Of the file that has this name now; empty where there is none. Opens nothing.
std::optional<file_identity> identity_of(const std::string& path);

class owner_lock {
public:
    /// Makes the file and locks it. Empty where that can't be done: the owner then goes
    /// unregistered, and only its leases tell.
    static std::optional<owner_lock> make(const std::string& path);

    /// Takes the lock of a file that is still the one that was registered. Empty where its owner
    /// lives, and where nothing can be said: no such file, another file, no permission.
    static std::optional<owner_lock> take(const std::string& path, const file_identity& registered);

    owner_lock(owner_lock&& other) noexcept;
    owner_lock& operator=(owner_lock&&) = delete;
    ~owner_lock();

    const file_identity& identity() const noexcept { return identity_; }
    /// Removes the file; whoever looks at the registration later learns nothing from it.
    void remove() const;

private:
    owner_lock(int file, std::string path, const file_identity& identity);
    static std::optional<owner_lock> lock(int file, const std::string& path);

    int file_ = -1;
    std::string path_;
    file_identity identity_;
};

}  // namespace leasebox::sqlite
