#include "predict/neighbours.hpp"

#include <algorithm>

#include "predict/numbers_in_text.hpp"

namespace neph::predict {

Result<Neighbours> Neighbours::of(const Model& model, const Table& rows, std::size_t count,
                                  std::size_t threads) {
  NEPH_TRY(auto nearest, model.nearest(rows, count, threads));
  std::vector<std::string> names;
  for (const auto& category : model.design().categories()) names.push_back(category.column);
  return Neighbours(model.measured(), rows, names, std::move(nearest));
}

Neighbours::Neighbours(const Points& measured, const Table& rows, const std::vector<std::string>& names,
                       std::vector<std::vector<std::size_t>> nearest)
    : measured_(&measured), nearest_(std::move(nearest)) {
  for (const auto& feature : measured.features.columns) {
    auto& column = columns_.emplace_back();
    if (const auto found = rows.find(feature.name)) {
      const auto& asked = rows.columns[*found];
      column = Compared{.measured = &feature, .asked = &asked};
      if (std::ranges::find(names, feature.name) != names.end()) continue;
      column->measured_numbers = as_numbers(feature);
      column->asked_numbers = as_numbers(asked);
    }
  }
}

bool Neighbours::Compared::is_same(std::size_t row, std::size_t point) const {
  const bool both_filled = !measured->is_empty(point) && !asked->is_empty(row);
  if (both_filled && measured_numbers && asked_numbers)
    return (*measured_numbers)[point] == (*asked_numbers)[row];
  return measured->text(point) == asked->text(row);
}

std::vector<std::size_t> Neighbours::differences(std::size_t row, std::size_t point) const {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] && !columns_[i]->is_same(row, point)) differing.push_back(i);
  return differing;
}

}  // namespace neph::predict
