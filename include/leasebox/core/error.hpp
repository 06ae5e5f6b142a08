// One enumeration of everything that can fail for a reason the caller can act on. A refused
// acknowledgment is not among them: that is a verdict, and an ordinary day.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <string>

namespace leasebox {

enum class errc : int {
    duplicate_id = 1,     ///< an event with this id exists
    invalid_event,        ///< the event breaks a rule of the store; the message names it
    no_schema,            ///< the database holds no leasebox schema
    schema_too_new,       ///< written by a newer version of this library
    not_in_transaction,   ///< the append needs an open transaction of the caller
    busy,                 ///< another writer held the store for longer than the patience
    full,                 ///< no space left for the store
    io,                   ///< the store's file can't be read or written
    corrupt,              ///< the store's file is damaged
    store_failed,         ///< any other failure of the store
    queue_full,           ///< too many operations wait for the store already
    stopped,              ///< the dispatcher has stopped, or never ran
    already_running,      ///< async_run may be called once
    invalid_option,       ///< an option is out of its range; the message names it
};

const boost::system::error_category& error_category() noexcept;
boost::system::error_code make_error_code(errc value) noexcept;

/// True where the same call may succeed later, with nothing changed by the caller.
bool is_transient(const boost::system::error_code& ec) noexcept;

/// An error with the sentence that explains it to a person.
class error : public boost::system::system_error {
public:
    error(errc value, const std::string& sentence)
        : boost::system::system_error(make_error_code(value), sentence), sentence_(sentence) {}

    /// What happened, where, and what to do; without the category's own text.
    const std::string& sentence() const noexcept { return sentence_; }

private:
    std::string sentence_;
};

}  // namespace leasebox

namespace boost::system {
template <>
struct is_error_code_enum<leasebox::errc> : std::true_type {};
}  // namespace boost::system
