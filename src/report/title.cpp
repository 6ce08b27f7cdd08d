#include "report/title.hpp"

#include <fmt/format.h>

namespace neph::report {
namespace {

std::string count_of(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string what_was_done(const std::string& workload) {
  return workload == "infer" ? "inference" : workload;
}

std::size_t runs_of(const Document& document) {
  std::int64_t runs = 0;
  for (const auto& cell : document.cells) runs += cell.runs_ok + cell.runs_failed;
  return static_cast<std::size_t>(runs);
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
  const auto what = what_was_done(document.experiment.workload);
  return fmt::format("{}{}, {}, {}", model.empty() ? "" : model + ": ", what,
                     count_of(document.cells.size(), "setting"), count_of(runs_of(document), "run"));
}

}  // namespace neph::report
