// Any text as an experiment's file: a plan whose cells can be run, or an error, never a crash, a hang, or
// memory out of proportion to the limits of expand().
#include <cstdlib>
#include <string_view>

#include "cli/plan.hpp"
#include "core/toml.hpp"
#include "record/cells.hpp"

namespace neph {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_as_json(std::string_view text) {
  const auto json = parse_toml(text, "input");
  if (!json) return require(!json.error().message.empty());
  require(json->is_object() && parse_json(dump_json(*json), "again").has_value());
}

void read_as_plan(std::string_view text) {
  const auto plan = cli::read_plan(text, "input");
  if (!plan) return require(!plan.error().message.empty());
  const auto cells = static_cast<std::int64_t>(plan->cells.size());
  require(cells >= 1 && cells <= max_cells);
  require(plan->experiment.repeat * cells <= max_runs);
  for (const auto& cell : plan->cells) require(!cell.label.empty() && cell.spec.contains("model"));
}

}  // namespace
}  // namespace neph

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  neph::read_as_json(text);
  neph::read_as_plan(text);
  return 0;
}
