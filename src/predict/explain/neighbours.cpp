#include "predict/explain/neighbours.hpp"

#include <algorithm>
#include <cmath>

#include "predict/explain/devices.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {

Result<Neighbours> Neighbours::of(const Model& model, const table::Table& rows, std::size_t count,
                                  std::size_t threads) {
  NEPH_TRY(auto nearest, model.nearest(rows, count, threads));
  std::vector<std::string> names;
  for (const auto& category : model.design().categories()) names.push_back(category.column);
  return Neighbours(model.measured(), rows, names, std::move(nearest),
                    model.design().roles().hardware.machine, columns_of_machines(model));
}

Neighbours::Neighbours(const Points& measured, const table::Table& rows,
                       const std::vector<std::string>& names, std::vector<std::vector<std::size_t>> nearest,
                       const std::string& machine, const std::set<std::string>& of_machine)
    : measured_(&measured), nearest_(std::move(nearest)) {
  for (const auto& feature : measured.features.columns) {
    const auto place = rows.find(feature.name);
    columns_.push_back({.measured = &feature,
                        .asked = place ? &rows.columns[*place] : nullptr,
                        .is_name = std::ranges::find(names, feature.name) != names.end(),
                        .is_machine = feature.name == machine,
                        .is_of_machine = of_machine.contains(feature.name)});
  }
}

bool Neighbours::Compared::is_same(std::size_t row, std::size_t point) const {
  if (!measured->is_text() && !asked->is_text()) {  // as below, and quicker
    const double one = measured->numbers[point], other = asked->numbers[row];
    return one == other || (std::isnan(one) && std::isnan(other));
  }
  const auto one = measured->text(point), other = asked->text(row);
  if (one == other || is_name) return one == other;
  const auto number = table::number_in(one), asked_number = table::number_in(other);
  return number && asked_number && number->number == asked_number->number;
}

std::vector<std::size_t> Neighbours::differences(std::size_t row, std::size_t point) const {
  std::vector<std::size_t> differing;
  const auto differs = [&](const Compared& column) { return column.asked && !column.is_same(row, point); };
  const bool is_other_machine =
      std::ranges::any_of(columns_, [&](const auto& column) { return column.is_machine && differs(column); });
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (const auto& column = columns_[i];
        differs(column) && (column.is_machine || !column.is_of_machine || !is_other_machine))
      differing.push_back(i);
  return differing;
}

}  // namespace neph::predict
