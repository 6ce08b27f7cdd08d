#include "report/title.hpp"

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

std::int64_t runs_of(const Document& document) {
  std::int64_t runs = 0;
  for (const auto& cell : document.cells) runs += cell.runs_ok + cell.runs_failed;
  return runs;
}

}  // namespace

std::string model_name(const Experiment& experiment) {
  const auto& spec = experiment.spec;
  if (!spec.is_object() || !spec.contains("model") || !spec["model"].is_string()) return {};
  const auto path = spec["model"].get<std::string>();
  return path.substr(path.find_last_of('/') + 1);
}

std::string title(const Document& document) {
  const auto model = model_name(document.experiment);
  return fmt::format("{}{}, {}, {}", model.empty() ? "" : model + ": ", view_of(document).activity,
                     counted(std::ssize(document.cells), "configuration"), counted(runs_of(document), "run"));
}

}  // namespace neph::report
