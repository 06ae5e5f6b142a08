#include "support/fault_vfs.hpp"

#include <cstring>
#include <new>

namespace leasebox::testing {
namespace {

fault_vfs* active = nullptr;

sqlite3_vfs* real() { return static_cast<sqlite3_vfs*>(sqlite3_vfs_find("unix")); }

// The file that SQLite sees; the real one lies behind it in the same allocation.
struct shim_file {
    sqlite3_file base;
    sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* inner(sqlite3_file* file) { return reinterpret_cast<shim_file*>(file)->inner(); }

int fault() { return active != nullptr ? active->next_write() : SQLITE_OK; }

int close_file(sqlite3_file* f) { return inner(f)->pMethods->xClose(inner(f)); }
int read_file(sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
    return inner(f)->pMethods->xRead(inner(f), to, n, at);
}
int write_file(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
    const int failed = fault();
    return failed != SQLITE_OK ? failed : inner(f)->pMethods->xWrite(inner(f), from, n, at);
}
int truncate_file(sqlite3_file* f, sqlite3_int64 size) {
    return inner(f)->pMethods->xTruncate(inner(f), size);
}
int sync_file(sqlite3_file* f, int flags) {
    const int failed = fault();
    return failed != SQLITE_OK ? failed : inner(f)->pMethods->xSync(inner(f), flags);
}
int file_size(sqlite3_file* f, sqlite3_int64* size) {
    return inner(f)->pMethods->xFileSize(inner(f), size);
}
int lock_file(sqlite3_file* f, int how) { return inner(f)->pMethods->xLock(inner(f), how); }
int unlock_file(sqlite3_file* f, int how) { return inner(f)->pMethods->xUnlock(inner(f), how); }
int check_lock(sqlite3_file* f, int* out) {
    return inner(f)->pMethods->xCheckReservedLock(inner(f), out);
}
int control(sqlite3_file* f, int what, void* arg) {
    return inner(f)->pMethods->xFileControl(inner(f), what, arg);
}
int sector_size(sqlite3_file* f) { return inner(f)->pMethods->xSectorSize(inner(f)); }
int characteristics(sqlite3_file* f) {
    return inner(f)->pMethods->xDeviceCharacteristics(inner(f));
}
int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    return inner(f)->pMethods->xShmMap(inner(f), page, size, extend, out);
}
int shm_lock(sqlite3_file* f, int at, int n, int flags) {
    return inner(f)->pMethods->xShmLock(inner(f), at, n, flags);
}
void shm_barrier(sqlite3_file* f) { inner(f)->pMethods->xShmBarrier(inner(f)); }
int shm_unmap(sqlite3_file* f, int remove) {
    return inner(f)->pMethods->xShmUnmap(inner(f), remove);
}

const sqlite3_io_methods methods = {2,           close_file,   read_file,   write_file,
                                    truncate_file, sync_file,  file_size,   lock_file,
                                    unlock_file, check_lock,   control,     sector_size,
                                    characteristics, shm_map,  shm_lock,    shm_barrier,
                                    shm_unmap,   nullptr,      nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    file->pMethods = nullptr;
    const int code = real()->xOpen(real(), name, inner(file), flags, out);
    if (code == SQLITE_OK) file->pMethods = &methods;
    return code;
}

sqlite3_vfs shim;

}  // namespace

fault_vfs::fault_vfs() {
    shim = *real();
    shim.zName = "fault";
    shim.szOsFile = static_cast<int>(sizeof(shim_file)) + real()->szOsFile;
    shim.xOpen = open_file;
    active = this;
    sqlite3_vfs_register(&shim, 1);
}

fault_vfs::~fault_vfs() {
    sqlite3_vfs_unregister(&shim);
    sqlite3_vfs_register(real(), 1);
    active = nullptr;
}

void fault_vfs::fail_nth(int nth, int code, bool persistent) {
    struck_ = false;
    persistent_ = persistent;
    strike_code_ = code;
    until_strike_ = nth;
}

void fault_vfs::heal() {
    write_code_ = SQLITE_OK;
    until_strike_ = 0;
    strike_code_ = SQLITE_OK;
    persistent_ = false;
}

int fault_vfs::next_write() {
    if (write_code_ != SQLITE_OK) return write_code_;
    if (struck_ && persistent_) return strike_code_;
    if (until_strike_ > 0 && --until_strike_ == 0) {
        struck_ = true;
        return strike_code_;
    }
    return SQLITE_OK;
}

}  // namespace leasebox::testing
