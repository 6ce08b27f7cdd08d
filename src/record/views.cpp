#include "record/views.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace neph {

const View& view_of(std::string_view workload, std::span<const CellSummary> cells) {
  const auto& usual = view_of(workload);
  if (workload != view::infer.workload) return usual;
  for (const auto* other : {&view::infer_sequences, &view::infer_samples}) {
    const auto has_it = [&](const CellSummary& cell) {
      return cell.figures.contains(std::string(other->main.front().name));
    };
    const auto has_usual = [&](const CellSummary& cell) {
      return cell.figures.contains(std::string(usual.main.front().name));
    };
    if (std::ranges::any_of(cells, has_it) && std::ranges::none_of(cells, has_usual)) return *other;
  }
  return usual;
}

Estimate speed_of(const View& view, const CellSummary& cell) {
  for (const auto& metric : view.main)
    if (const auto found = cell.figures.find(std::string(metric.name)); found != cell.figures.end())
      return found->second;
  return {};
}

std::optional<double> speed_of(const View& view, const Run& run) {
  if (run.status != RunStatus::ok) return std::nullopt;
  for (const auto& metric : view.main)
    for (const auto& figure : run.result.figures)
      if (figure.name == metric.name && std::isfinite(figure.estimate.value)) return figure.estimate.value;
  return std::nullopt;
}

}  // namespace neph
