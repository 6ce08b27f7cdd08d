#include "predict/profile/point_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "predict/features/feature_matrix.hpp"
#include "predict/profile/row_key.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t points_per_value = 50;  ///< of a draw: numbers of so few values may name machines

/// What rows are sorted by: numbers, and where there is text its place too, since "64px" and "64.0px" are
/// two.
void add_ranks(const table::Column& column, std::vector<std::vector<double>>& ranks) {
  if (auto numbers = as_numbers(column)) {
    for (auto& number : *numbers)
      if (std::isnan(number)) number = -std::numeric_limits<double>::infinity();
    ranks.push_back(std::move(*numbers));
  }
  if (column.is_text()) ranks.emplace_back(column.codes.begin(), column.codes.end());
}

Rows all_rows(const table::Table& table) {
  Rows rows(table.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace

Rows drawn_points(const table::Table& features, std::size_t most) {
  std::set<std::size_t> staying;
  for (const auto& column : features.columns) {
    const auto numbers = as_numbers(column);
    const AlikeGroups values(keys_of(column, all_rows(features)));
    Rows firsts;
    for (std::size_t value = 0; value < values.size(); ++value) firsts.push_back(values[value].front());
    if (numbers && values.size() > most / points_per_value) {  // the ends are enough, and an empty cell
      const auto there =
          std::ranges::partition(firsts, [&](std::size_t row) { return column.is_empty(row); });
      const auto number_of = [&](std::size_t row) { return (*numbers)[row]; };
      if (!there.empty()) {
        const auto [lowest, highest] = std::ranges::minmax(there, {}, number_of);
        firsts.erase(there.begin(), there.end());
        firsts.insert(firsts.end(), {lowest, highest});
      }
    }
    staying.insert(firsts.begin(), firsts.end());
  }
  return drawn_rows(features.rows, most, {staying.begin(), staying.end()});
}

Rows sorted_points(const table::Table& features) {
  std::vector<std::vector<double>> ranks;
  for (const auto& column : features.columns) add_ranks(column, ranks);
  auto order = all_rows(features);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const auto& column : ranks)
      if (column[a] != column[b]) return column[a] < column[b];
    return false;
  });
  return order;
}

}  // namespace neph::predict
