#include "predict/profile/point_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "core/random.hpp"
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

}  // namespace

Rows drawn_points(const table::Table& features, std::size_t most) {
  std::vector<bool> is_taken(features.rows, false);
  const auto few_values = most / points_per_value;
  for (const auto& column : features.columns) {
    const auto numbers = as_numbers(column);
    std::vector<bool> is_seen(column.levels.size(), false);
    std::unordered_set<double> values;
    Rows firsts;
    std::size_t least = 0, largest = 0, empty = 0;
    for (std::size_t row = 0; row < features.rows; ++row) {
      if (column.is_empty(row)) {
        if (++empty == 1) is_taken[row] = true;
      } else if (numbers) {
        if (!((*numbers)[row] >= (*numbers)[least])) least = row;
        if (!((*numbers)[row] <= (*numbers)[largest])) largest = row;
        if (values.size() <= few_values && values.insert((*numbers)[row]).second) firsts.push_back(row);
      } else if (const auto level = static_cast<std::size_t>(column.codes[row]); !is_seen[level]) {
        is_seen[level] = is_taken[row] = true;
      }
    }
    if (numbers) is_taken[least] = is_taken[largest] = true;
    if (values.size() <= few_values)
      for (const auto row : firsts) is_taken[row] = true;
  }
  Rows others, taken;
  for (std::size_t row = 0; row < features.rows; ++row) (is_taken[row] ? taken : others).push_back(row);
  Random random(features.rows);
  shuffle(others, random);
  others.resize(std::min(others.size(), most - std::min(most, taken.size())));
  taken.insert(taken.end(), others.begin(), others.end());
  std::sort(taken.begin(), taken.end());
  return taken;
}

Rows sorted_points(const table::Table& features) {
  std::vector<std::vector<double>> ranks;
  for (const auto& column : features.columns) add_ranks(column, ranks);
  Rows order(features.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const auto& column : ranks)
      if (column[a] != column[b]) return column[a] < column[b];
    return false;
  });
  return order;
}

}  // namespace neph::predict
