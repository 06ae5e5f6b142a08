#include "leasebox/core/error.hpp"

namespace leasebox {
namespace {

class category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "leasebox"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
            case errc::duplicate_id: return "an event with this id exists";
            case errc::invalid_event: return "the event breaks a rule of the store";
            case errc::no_schema: return "the database holds no leasebox schema; run leasebox init";
            case errc::schema_too_new: return "the store was written by a newer version";
            case errc::not_in_transaction: return "no transaction is open on this connection";
            case errc::busy: return "another writer holds the store";
            case errc::full: return "no space is left for the store";
            case errc::io: return "the store's file can't be read or written";
            case errc::corrupt: return "the store's file is damaged";
            case errc::store_failed: return "the store failed";
            case errc::queue_full: return "too many operations wait for the store";
            case errc::stopped: return "the dispatcher has stopped";
            case errc::already_running: return "the dispatcher is running or has run";
            case errc::invalid_option: return "an option is out of its range";
        }
        return "unknown error";
    }
};

}  // namespace

const boost::system::error_category& error_category() noexcept {
    static const category instance;
    return instance;
}

boost::system::error_code make_error_code(errc value) noexcept {
    return {static_cast<int>(value), error_category()};
}

bool is_transient(const boost::system::error_code& ec) noexcept {
    return ec == errc::busy || ec == errc::full || ec == errc::io || ec == errc::queue_full;
}

}  // namespace leasebox
