#include "predict/oddities.hpp"

#include <cmath>
#include <map>
#include <set>

#include "core/units.hpp"

namespace neph::predict {
namespace {

constexpr double beyond_linear = 1.15;
constexpr std::size_t most_levels = 40;  ///< of a column that is a grid's
constexpr double filled = 0.5;           ///< of the pairs of values that a grid has
constexpr std::size_t most_corners = 3;

struct GridColumn {
  std::string name;
  std::vector<double> values;  ///< of each point
  std::set<double> levels;
};

std::vector<GridColumn> grid_columns(const Points& points) {
  std::vector<GridColumn> grid;
  for (const auto& column : points.features.columns) {
    const auto embedded = embedded_numbers(column);
    const auto& numbers = embedded ? embedded->numbers : column.numbers;
    GridColumn seen{column.name, numbers, {numbers.begin(), numbers.end()}};
    if (seen.levels.size() >= 2 && seen.levels.size() <= most_levels && !std::isnan(*seen.levels.begin()) &&
        !std::isnan(*seen.levels.rbegin()))
      grid.push_back(std::move(seen));
  }
  return grid;
}

/// A number for each point that points share which differ in `left_out` alone.
std::vector<std::size_t> all_but(const Points& points, const std::string& left_out) {
  std::vector<std::size_t> group(points.target.size(), 0);
  for (const auto& column : points.features.columns) {
    if (column.name == left_out) continue;
    std::map<std::pair<std::size_t, std::string>, std::size_t> known;
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i] = known.emplace(std::pair{group[i], column.text(i)}, known.size()).first->second;
  }
  return group;
}

std::int64_t faster_than_linear(const Points& points, const GridColumn& column) {
  if (*column.levels.begin() <= 0) return 0;
  const auto groups = all_but(points, column.name);
  std::map<std::size_t, std::map<double, double>> times;  // by group, then by the column's value
  for (std::size_t i = 0; i < groups.size(); ++i) times[groups[i]][column.values[i]] = points.target[i];
  std::int64_t count = 0;
  for (const auto& [group, by_value] : times)
    for (auto next = by_value.begin(), last = next++; next != by_value.end(); last = next++)
      if (last->second / next->second > beyond_linear * next->first / last->first) ++count;
  return count;
}

/// Where the largest values of two columns do not meet; empty: they do, or the columns form no grid.
std::string missing_corner(const GridColumn& a, const GridColumn& b) {
  std::set<std::pair<double, double>> seen;
  for (std::size_t i = 0; i < a.values.size(); ++i) seen.emplace(a.values[i], b.values[i]);
  if (static_cast<double>(seen.size()) < filled * static_cast<double>(a.levels.size() * b.levels.size()))
    return {};
  const auto missing = [&](auto x, auto y) {  // from here to the end of both there is nothing
    for (auto i = x; i != a.levels.end(); ++i)
      for (auto k = y; k != b.levels.end(); ++k)
        if (seen.contains({*i, *k})) return false;
    return true;
  };
  auto x = std::prev(a.levels.end()), y = std::prev(b.levels.end());
  if (!missing(x, y)) return {};
  while (x != a.levels.begin() && missing(std::prev(x), y)) --x;
  while (y != b.levels.begin() && missing(x, std::prev(y))) --y;
  return fmt::format("{} from {} on with {} from {} on", a.name, *x, b.name, *y);
}

}  // namespace

std::vector<Finding> odd_rows(const Points& points) {
  std::vector<Finding> findings;
  const auto grid = grid_columns(points);
  for (const auto& column : grid)
    if (const auto count = faster_than_linear(points, column); count > 0)
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
