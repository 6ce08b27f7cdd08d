#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "predict/proposals.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;
using Levels = std::vector<std::size_t>;  ///< of each row, or of each bundle

constexpr std::size_t tries = 20;  ///< per combination wanted, before those left are taken for rare

/// The same number for rows with the same value.
Levels levels_of(const Column& column) {
  std::map<std::string, std::size_t> known;
  Levels levels;
  for (std::size_t row = 0; row < column.rows(); ++row)
    levels.push_back(known.emplace(column.text(row), known.size()).first->second);
  return levels;
}

std::size_t count_of(const Levels& levels) { return *std::max_element(levels.begin(), levels.end()) + 1; }

/// Whether the second column is the same wherever the first one is, in a table where that says something:
/// most rows share their value of the first with others.
bool follows(const Levels& first, const Levels& second) {
  std::vector<Rows> members(count_of(first));
  for (std::size_t row = 0; row < first.size(); ++row) members[first[row]].push_back(row);
  std::size_t repeated = 0;
  for (const auto& rows : members) {
    if (rows.size() > 1) repeated += rows.size();
    for (const auto row : rows)
      if (second[row] != second[rows.front()]) return false;
  }
  return 2 * repeated >= first.size();
}

/// Columns that take their values together, and a row for each combination of values that they have.
struct Bundle {
  Rows columns;
  Levels levels;  ///< of each row
  Rows examples;  ///< a row of each level
};

void fill(Bundle& bundle, const std::vector<Levels>& columns) {
  std::map<Levels, std::size_t> known;
  for (std::size_t row = 0; row < columns.front().size(); ++row) {
    Levels values;
    for (const auto column : bundle.columns) values.push_back(columns[column][row]);
    const auto [place, is_new] = known.emplace(values, known.size());
    if (is_new) bundle.examples.push_back(row);
    bundle.levels.push_back(place->second);
  }
}

std::vector<Bundle> bundles_of(const Table& points) {
  std::vector<Levels> columns;
  for (const auto& column : points.columns) columns.push_back(levels_of(column));
  Rows leader(columns.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = 0; b < columns.size(); ++b)
      if (a != b && count_of(columns[b]) > 1 && follows(columns[a], columns[b]))
        std::replace(leader.begin(), leader.end(), leader[b], leader[a]);
  std::map<std::size_t, Bundle> by_leader;
  for (std::size_t i = 0; i < columns.size(); ++i) by_leader[leader[i]].columns.push_back(i);
  std::vector<Bundle> bundles;
  for (auto& [first, bundle] : by_leader) {
    fill(bundle, columns);
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

/// The next combination in their order; false: it was the last.
bool advance(Levels& combination, const std::vector<Bundle>& bundles) {
  for (std::size_t i = bundles.size(); i-- > 0;) {
    if (++combination[i] < bundles[i].examples.size()) return true;
    combination[i] = 0;
  }
  return false;
}

std::set<Levels> measured_of(const std::vector<Bundle>& bundles, std::size_t rows) {
  std::set<Levels> measured;
  for (std::size_t row = 0; row < rows; ++row) {
    Levels combination;
    for (const auto& bundle : bundles) combination.push_back(bundle.levels[row]);
    measured.insert(std::move(combination));
  }
  return measured;
}

std::vector<Levels> all_but(const std::set<Levels>& measured, const std::vector<Bundle>& bundles) {
  std::vector<Levels> found;
  Levels combination(bundles.size(), 0);
  do {
    if (!measured.contains(combination)) found.push_back(combination);
  } while (advance(combination, bundles));
  return found;
}

std::vector<Levels> some_but(std::set<Levels> taken, const std::vector<Bundle>& bundles, std::size_t most,
                             Random& random) {
  std::vector<Levels> found;
  for (std::size_t i = 0; i < tries * most && found.size() < most; ++i) {
    Levels combination;
    for (const auto& bundle : bundles)
      combination.push_back(static_cast<std::size_t>(random.below(bundle.examples.size())));
    if (taken.insert(combination).second) found.push_back(std::move(combination));
  }
  return found;
}

}  // namespace

Table unmeasured(const Table& points, std::size_t most, std::uint64_t seed) {
  const auto bundles = bundles_of(points);
  double all = 1;
  for (const auto& bundle : bundles) all *= static_cast<double>(bundle.examples.size());
  const auto measured = measured_of(bundles, points.rows);
  Random random(seed);
  const auto found = all - static_cast<double>(measured.size()) <= static_cast<double>(most)
                         ? all_but(measured, bundles)
                         : some_but(measured, bundles, most, random);
  Table table{.source = points.source, .columns = points.columns, .rows = found.size()};
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    Rows examples;
    for (const auto& combination : found) examples.push_back(bundles[i].examples[combination[i]]);
    const auto taken = rows_of(points, examples);
    for (const auto column : bundles[i].columns) table.columns[column] = taken.columns[column];
  }
  return table;
}

}  // namespace neph::predict
