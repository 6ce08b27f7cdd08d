#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "predict/explain/next_experiments.hpp"
#include "predict/profile/relations.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;
using Levels = std::vector<std::size_t>;  ///< of each row, or of each bundle

constexpr std::size_t tries = 1000;  ///< per combination wanted, before those left are taken for rare

/// The same number for rows with the same value.
Levels levels_of(const table::Column& column) {
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

std::vector<Bundle> bundles_of(const table::Table& points) {
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

/// Combinations of the bundles' levels, some of which were measured and some of which nobody can measure.
class Combinations {
 public:
  explicit Combinations(const table::Table& points)
      : bundles_(bundles_of(points)), relations_(Relations::among(points)), columns_(points.columns.size()) {
    for (std::size_t row = 0; row < points.rows; ++row) {
      Levels combination;
      for (const auto& bundle : bundles_) combination.push_back(bundle.levels[row]);
      taken_.insert(std::move(combination));
    }
  }

  /// For each combination that is left, at most `most`, the points that the columns' values are taken from.
  std::vector<Rows> left(std::size_t most, std::uint64_t seed) && {
    double all = 1;
    for (const auto& bundle : bundles_) all *= static_cast<double>(bundle.examples.size());
    if (all - static_cast<double>(taken_.size()) <= static_cast<double>(most))
      take_each();
    else
      take_random(most, seed);
    return std::move(found_);
  }

 private:
  Rows examples_of(const Levels& combination) const {
    Rows examples(columns_);
    for (std::size_t i = 0; i < bundles_.size(); ++i)
      for (const auto column : bundles_[i].columns) examples[column] = bundles_[i].examples[combination[i]];
    return examples;
  }

  void take(const Levels& combination) {
    auto examples = examples_of(combination);
    if (relations_.hold(examples) && taken_.insert(combination).second) found_.push_back(std::move(examples));
  }

  /// The next combination in their order; false: it was the last.
  bool advance(Levels& combination) const {
    for (std::size_t i = bundles_.size(); i-- > 0;) {
      if (++combination[i] < bundles_[i].examples.size()) return true;
      combination[i] = 0;
    }
    return false;
  }

  void take_each() {
    Levels combination(bundles_.size(), 0);
    do {
      take(combination);
    } while (advance(combination));
  }

  void take_random(std::size_t most, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < tries * most && found_.size() < most; ++i) {
      Levels combination;
      for (const auto& bundle : bundles_)
        combination.push_back(static_cast<std::size_t>(random.below(bundle.examples.size())));
      take(combination);
    }
  }

  std::vector<Bundle> bundles_;
  Relations relations_;
  std::size_t columns_;
  std::set<Levels> taken_;  ///< measured, or found
  std::vector<Rows> found_;
};

}  // namespace

table::Table candidate_grid(const table::Table& points, std::size_t most, std::uint64_t seed) {
  const auto found = Combinations(points).left(most, seed);
  table::Table table{.source = points.source, .columns = {}, .rows = found.size()};
  for (std::size_t i = 0; i < points.columns.size(); ++i) {
    Rows examples;
    for (const auto& each : found) examples.push_back(each[i]);
    const table::Table alone{.source = {}, .columns = {points.columns[i]}, .rows = points.rows};
    table.columns.push_back(rows_of(alone, examples).columns.front());
  }
  return table;
}

}  // namespace neph::predict
