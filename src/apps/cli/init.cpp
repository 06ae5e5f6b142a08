#include <filesystem>
#include <iostream>

#include "apps/cli/commands.hpp"
#include "leasebox/sqlite/store.hpp"

namespace leasebox::apps {

void add_init(CLI::App& program, context& common) {
    struct options {
        bool print = false;
        bool check = false;
    };
    auto chosen = std::make_shared<options>();
    CLI::App* command = program.add_subcommand("init", "make the store, or check that it is there");
    common.add_common(*command);
    auto* print = command->add_flag("--print", chosen->print, "print the schema as SQL instead");
    command->add_flag("--check", chosen->check, "exit 1 unless the schema is there and current")
        ->excludes(print);
    command->callback([chosen, &common] {
        if (chosen->print) {
            std::cout << sqlite::schema_sql();
            return;
        }
        const bool existed = std::filesystem::exists(common.store_path());
        common.open_store(!chosen->check);
        if (common.json()) {
            common.print({{"store", common.store_path()}, {"created", !existed}});
        } else {
            std::cout << common.store_path() << (existed ? ": is ready\n" : ": made\n");
        }
    });
}

}  // namespace leasebox::apps
