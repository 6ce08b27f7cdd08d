#include "report/charts/factor_axis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

bool is_numeric(const Factor& factor) {
  std::set<double> values;
  for (const auto& value : factor.values) {
    if (!value.is_number()) return false;
    values.insert(value.get<double>());
  }
  return values.size() >= 2;
}

const Factor* factor_of_the_axis(const std::vector<Factor>& factors) {
  for (const auto& factor : factors)
    if (factor.name == "batch" && is_numeric(factor)) return &factor;
  const auto found = std::find_if(factors.begin(), factors.end(), is_numeric);
  return found == factors.end() ? nullptr : &*found;
}

}  // namespace

Drawing draw_over_factor(const Document& document, const OverFactor& what) {
  const auto* axis = factor_of_the_axis(document.experiment.factors);
  if (!axis) return {};
  const auto name = in_words(axis->name);
  std::set<double> values;
  for (const auto& value : axis->values) values.insert(value.get<double>());
  Lines lines{
      .caption = what.caption + " " + name, .x = axis_over(values, name), .y = what.y, .unit = what.unit};
  std::set<std::string> named;
  for (const auto& cell : document.cells) {
    const auto x = cell.cell.factors.find(axis->name);
    const auto value = what.value(cell);
    if (x == cell.cell.factors.end() || !x->is_number() || !std::isfinite(value.value)) continue;
    const auto line = short_label(cell, document.experiment, {axis->name, "mode"});
    named.insert(line);
    lines.points.push_back({.x = x->get<double>(),
                            .line = line,
                            .style = style_of(cell),
                            .label = cell.cell.label,
                            .value = value});
  }
  if (lines.points.size() < 2) return {};
  lines.description = fmt::format("{} {}, {}.", what.description, name,
                                  named.size() == 1 ? "one line" : fmt::format("{} colours", named.size()));
  return {.panels = {draw_lines(lines)}};
}

}  // namespace neph::report
