#include "predict/oddities.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/units.hpp"
#include "predict/alike.hpp"
#include "predict/numbers_in_text.hpp"

namespace neph::predict {
namespace {

constexpr double beyond_linear = 1.15;
constexpr std::size_t most_levels = 40;  ///< of a column that is a grid's
constexpr double filled = 0.5;           ///< of the pairs of values that a grid has
constexpr std::size_t most_corners = 3;

/// A column of numbers with few different values.
struct GridColumn {
  std::size_t place = 0;  ///< among the features
  std::string name;
  std::vector<double> values;       ///< sorted
  std::vector<std::size_t> levels;  ///< of each point: place among the values
};

/// Sorted; empty: they are more than a grid has, or not all are known.
std::vector<double> values_of_grid(const std::vector<double>& numbers) {
  std::set<double> values;
  for (const double number : numbers) {
    if (std::isnan(number)) return {};
    values.insert(number);
    if (values.size() > most_levels) return {};
  }
  return {values.begin(), values.end()};
}

std::vector<GridColumn> grid_columns(const Points& points) {
  std::vector<GridColumn> grid;
  for (std::size_t place = 0; place < points.features.columns.size(); ++place) {
    const auto& column = points.features.columns[place];
    const auto embedded = embedded_numbers(column);
    const auto& numbers = embedded ? embedded->numbers : column.numbers;
    GridColumn seen{place, column.name, values_of_grid(numbers), {}};
    if (seen.values.size() < 2) continue;
    for (const double number : numbers)
      seen.levels.push_back(static_cast<std::size_t>(
          std::lower_bound(seen.values.begin(), seen.values.end(), number) - seen.values.begin()));
    grid.push_back(std::move(seen));
  }
  return grid;
}

std::vector<std::size_t> all(std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

/// Pairs of points that differ in the column alone, by values next to each other.
std::int64_t faster_than_linear(const Points& points, const GridColumn& column, RowKeys keys) {
  if (column.values.front() <= 0) return 0;
  take_out(points.features.columns[column.place], all(keys.size()), keys);
  const AlikeGroups groups(keys);
  std::int64_t count = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<std::size_t> alike(groups[group].begin(), groups[group].end());
    std::ranges::sort(alike, {}, [&](std::size_t i) { return column.levels[i]; });
    for (std::size_t i = 1; i < alike.size(); ++i) {
      const auto less = alike[i - 1], more = alike[i];
      const double growth = column.values[column.levels[more]] / column.values[column.levels[less]];
      if (points.target[less] / points.target[more] > beyond_linear * growth) ++count;
    }
  }
  return count;
}

/// Where the largest values of two columns do not meet; empty: they do, or the columns form no grid.
std::string missing_corner(const GridColumn& a, const GridColumn& b) {
  const auto across = b.values.size();
  std::vector<bool> seen(a.values.size() * across, false);
  for (std::size_t i = 0; i < a.levels.size(); ++i) seen[a.levels[i] * across + b.levels[i]] = true;
  if (static_cast<double>(std::ranges::count(seen, true)) < filled * static_cast<double>(seen.size()))
    return {};
  const auto missing = [&](std::size_t x, std::size_t y) {  // from here to the end of both there is nothing
    for (auto i = x; i < a.values.size(); ++i)
      for (auto k = y; k < across; ++k)
        if (seen[i * across + k]) return false;
    return true;
  };
  auto x = a.values.size() - 1, y = across - 1;
  if (!missing(x, y)) return {};
  while (x > 0 && missing(x - 1, y)) --x;
  while (y > 0 && missing(x, y - 1)) --y;
  return fmt::format("{} from {} on with {} from {} on", a.name, a.values[x], b.name, b.values[y]);
}

}  // namespace

std::vector<Finding> oddities(const Points& points) {
  std::vector<Finding> findings;
  const auto grid = grid_columns(points);
  const auto keys = keys_of(points.features, all(points.features.columns.size()), all(points.target.size()));
  for (const auto& column : grid)
    if (const auto count = faster_than_linear(points, column, keys); count > 0)
      findings.push_back({"faster_than_linear",
                          fmt::format("{} where the target falls by more than '{}' grows, all else the same",
                                      counted(count, "pair"), column.name),
                          count});
  std::string corners;
  std::size_t count = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (std::size_t k = i + 1; k < grid.size(); ++k) {
      const auto corner = missing_corner(grid[i], grid[k]);
      if (!corner.empty() && ++count <= most_corners) corners += (corners.empty() ? "" : "; ") + corner;
    }
  }
  if (count > 0)
    findings.push_back(
        {"missing_corner",
         fmt::format("never measured: {}. Such runs often do not fit into the memory", corners), 0});
  return findings;
}

}  // namespace neph::predict
