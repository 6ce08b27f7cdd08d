#include "record/views.hpp"

#include <cmath>

namespace neph {

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
