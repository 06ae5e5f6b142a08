// Each command adds itself to the program and runs when it was chosen.
#pragma once

#include "apps/cli/context.hpp"

namespace leasebox::apps {

void add_init(CLI::App& program, context& common);
void add_append(CLI::App& program, context& common);
void add_run(CLI::App& program, context& common);
void add_claim(CLI::App& program, context& common);
void add_ack(CLI::App& program, context& common);
void add_renew(CLI::App& program, context& common);
void add_stats(CLI::App& program, context& common);
void add_list(CLI::App& program, context& common);
void add_show(CLI::App& program, context& common);
void add_prune(CLI::App& program, context& common);
void add_operate(CLI::App& program, context& common);
void add_explain(CLI::App& program, context& common);
void add_model(CLI::App& program);
void add_demo(CLI::App& program);
void add_receive(CLI::App& program, context& common);
void add_version(CLI::App& program);

}  // namespace leasebox::apps
