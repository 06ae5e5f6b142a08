#include "sqlite/schema.hpp"

#include <unistd.h>

#include <array>

#include "schema_text.hpp"

namespace leasebox::sqlite {
namespace {

constexpr int schema_version = 1;

// 0 where there is no schema at all.
int version_of(SQLite::Database& database) {
    if (!database.tableExists("leasebox_meta")) return 0;
    SQLite::Statement query(database,
                            "SELECT value FROM leasebox_meta WHERE name = 'schema_version'");
    return query.executeStep() ? query.getColumn(0).getInt() : 0;
}

void check_version(int version) {
    if (version == 0) {
        throw error(errc::no_schema,
                    "the database holds no leasebox schema; run 'leasebox init' on it");
    }
    if (version > schema_version) {
        throw error(errc::schema_too_new, "the store has schema version " +
                                              std::to_string(version) + ", this program knows " +
                                              std::to_string(schema_version) + "; upgrade it");
    }
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

void remember(SQLite::Database& database, const char* name, const std::string& value) {
    SQLite::Statement insert(database, "INSERT OR REPLACE INTO leasebox_meta VALUES (?, ?)");
    insert.bind(1, name);
    insert.bind(2, value);
    insert.exec();
}

void make_schema(SQLite::Database& database, std::int64_t payload_bytes_max) {
    database.exec(schema_text);
    remember(database, "clock_owner", host_name());
    SQLite::Statement update(
        database, "UPDATE leasebox_meta SET value = ? WHERE name = 'payload_bytes_max'");
    update.bind(1, payload_bytes_max);
    update.exec();
}

}  // namespace

void migrate(SQLite::Database& database, std::int64_t payload_bytes_max) {
    if (version_of(database) == schema_version) return;
    write_transaction open(database);
    const int version = version_of(database);
    if (version == 0) make_schema(database, payload_bytes_max);
    check_version(version_of(database));
    open.commit();
}

void require_schema(SQLite::Database& database) { check_version(version_of(database)); }

std::string schema_sql() { return schema_text; }

void create_schema(SQLite::Database& database) {
    try {
        migrate(database, options{}.payload_bytes_max);
    } catch (const SQLite::Exception& thrown) {
        fail(thrown, "creating the schema");
    }
}

}  // namespace leasebox::sqlite
