#include "cli/command.hpp"
#include "cli/conduct.hpp"
#include "cli/verbs.hpp"
#include "engine/engine.hpp"
#include "os/file.hpp"

namespace neph::cli {
namespace {

struct RunOptions {
  std::string file;
  std::string store;
  MoneyOptions money;
  ConductOptions conduct;
  std::string engine_path;
};

}  // namespace

void declare_run(Command& command) {
  auto options = std::make_shared<RunOptions>();
  command.positional("file", options->file, "experiment as a TOML file", true);
  command.option("store", options->store, "file that keeps the results, whatever the experiment says");
  command.fields(options->money);
  command.option("engine-path", options->engine_path, engine::engine_path_help);
  declare_flags(command, options->conduct);
  command.footer(
      "The file has the options of the verb it is named after; a list makes a factor:\n"
      "  repeat = 20\n"
      "  [infer]\n"
      "  model = \"resnet50\"\n"
      "  images = \"photos\"\n"
      "  batch = [1, 8]");
  command.action([options]() -> Result<int> {
    engine::look_also_in(options->engine_path);
    NEPH_TRY(const auto text, read_file(options->file));
    NEPH_TRY(auto plan, read_plan(text, options->file));
    if (!options->store.empty()) plan.options.store = options->store;
    NEPH_CHECK(set_money(plan, options->money));
    return conduct_plan(std::move(plan), options->conduct);
  });
}

}  // namespace neph::cli
