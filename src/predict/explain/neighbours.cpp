#include "predict/explain/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

/// The number that each cell is or begins with, whatever the others are; NaN: none.
std::vector<double> numbers_in(const table::Column& column) {
  if (!column.is_text()) return column.numbers;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> of_level, numbers;
  for (const auto& level : column.levels) {
    const auto found = table::number_in(level);
    of_level.push_back(found ? found->number : none);
  }
  for (const auto code : column.codes)
    numbers.push_back(code < 0 ? none : of_level[static_cast<std::size_t>(code)]);
  return numbers;
}

}  // namespace

Result<Neighbours> Neighbours::of(const Model& model, const table::Table& rows, std::size_t count,
                                  std::size_t threads) {
  NEPH_TRY(auto nearest, model.nearest(rows, count, threads));
  std::vector<std::string> names;
  for (const auto& category : model.design().categories()) names.push_back(category.column);
  return Neighbours(model.measured(), rows, names, std::move(nearest));
}

Neighbours::Neighbours(const Points& measured, const table::Table& rows,
                       const std::vector<std::string>& names, std::vector<std::vector<std::size_t>> nearest)
    : measured_(&measured), nearest_(std::move(nearest)) {
  for (const auto& feature : measured.features.columns) {
    auto& column = columns_.emplace_back();
    if (const auto found = rows.find(feature.name)) {
      const auto& asked = rows.columns[*found];
      column = Compared{.measured = &feature, .asked = &asked};
      if (std::ranges::find(names, feature.name) != names.end()) continue;
      column->measured_numbers = numbers_in(feature);
      column->asked_numbers = numbers_in(asked);
    }
  }
}

bool Neighbours::Compared::is_same(std::size_t row, std::size_t point) const {
  if (!measured_numbers.empty() && std::isfinite(measured_numbers[point]) &&
      std::isfinite(asked_numbers[row]))
    return measured_numbers[point] == asked_numbers[row];
  return measured->text(point) == asked->text(row);
}

std::vector<std::size_t> Neighbours::differences(std::size_t row, std::size_t point) const {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] && !columns_[i]->is_same(row, point)) differing.push_back(i);
  return differing;
}

}  // namespace neph::predict
