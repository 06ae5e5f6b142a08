#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "conformance/conformance.hpp"
#include "leasebox/sqlite/store.hpp"

namespace leasebox::testing {
namespace {

// One directory a process; each test gets a new file in it.
class temporary_directory {
public:
    temporary_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "leasebox-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::system_error(errno, std::generic_category(), name);
        }
        path_ = name;
    }
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    std::string next_file() {
        files_ += 1;
        return (path_ / ("store-" + std::to_string(files_) + ".db")).string();
    }

private:
    std::filesystem::path path_;
    int files_ = 0;
};

std::unique_ptr<store> make(clock& time) {
    static temporary_directory directory;
    sqlite::options how;
    how.durability = sqlite::synchronous::normal;
    return sqlite::open(directory.next_file(), how, time);
}

const bool registered = register_store({"sqlite", make});

}  // namespace
}  // namespace leasebox::testing
