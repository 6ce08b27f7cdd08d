#include "report/percentile.hpp"

#include <cmath>

#include "core/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {

std::string why_not_shown(std::string_view name, const Estimate& estimate) {
  const auto percentile = percentile_of(name);
  return percentile ? neph::why_not_shown(*percentile, estimate) : std::string();
}

const Estimate* find_shown(const std::map<std::string, Estimate>& estimates, std::string_view name) {
  const auto* estimate = find_estimate(estimates, name);
  return estimate && std::isfinite(estimate->value) && why_not_shown(name, *estimate).empty() ? estimate
                                                                                              : nullptr;
}

std::string shown_text(const std::map<std::string, Estimate>& estimates, std::string_view name) {
  const auto* estimate = find_estimate(estimates, name);
  if (!estimate) return "–";
  const auto why = why_not_shown(name, *estimate);
  return why.empty() ? estimate_text(*estimate) : why;
}

}  // namespace neph::report
