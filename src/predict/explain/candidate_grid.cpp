#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_set>

#include "core/random.hpp"
#include "predict/explain/next_experiments.hpp"
#include "predict/explain/relations.hpp"
#include "predict/profile/row_key.hpp"

namespace neph::predict {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t tries = 1000;  ///< per combination wanted, before those left are taken for rare

/// Columns that take their values together.
struct Bundle {
  Rows columns;
  RowKeys keys;   ///< of the rows' values
  Rows examples;  ///< a row of each value
};

std::vector<Bundle> bundles_of(const table::Table& points) {
  Rows rows(points.rows), leader(points.columns.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  std::vector<RowKeys> keys;
  std::vector<std::size_t> values;  // different ones
  for (const auto& column : points.columns) {
    keys.push_back(keys_of(column, rows));
    values.push_back(AlikeGroups(keys.back()).size());
  }
  // Whether b is the same wherever a is, in a table where that says something: a value of a has two rows on
  // average.
  const auto follows = [&](std::size_t a, std::size_t b) {
    return values[b] > 1 && values[b] <= values[a] && 2 * values[a] <= points.rows &&
           AlikeGroups(keys[a] + keys[b]).size() == values[a];
  };
  for (std::size_t a = 0; a < keys.size(); ++a)
    for (std::size_t b = 0; b < keys.size(); ++b)
      if (const auto from = leader[b], to = leader[a]; from != to && follows(a, b))
        std::ranges::replace(leader, from, to);
  std::vector<Bundle> bundles;
  for (std::size_t first = 0; first < leader.size(); ++first) {
    Bundle bundle;
    for (std::size_t i = 0; i < leader.size(); ++i)
      if (leader[i] == first) bundle.columns.push_back(i);
    if (bundle.columns.empty()) continue;
    bundle.keys = keys_of(points, bundle.columns, rows);
    const AlikeGroups alike(bundle.keys);
    for (std::size_t value = 0; value < alike.size(); ++value)
      bundle.examples.push_back(alike[value].front());
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

using Bounds = std::vector<std::pair<const table::Column*, const table::Column*>>;

/// Columns that reach another at several of its values and are never above it, as threads on machines' cores:
/// beyond nothing runs.
Bounds bounds_of(const table::Table& points) {
  Bounds bounds;
  for (const auto& one : points.columns)
    for (const auto& other : points.columns) {
      if (&one == &other || one.is_text() || other.is_text() ||
          !std::ranges::equal(one.numbers, other.numbers, std::less_equal<>()))
        continue;
      std::set<double> reached;
      for (std::size_t row = 0; row < points.rows; ++row)
        if (one.numbers[row] == other.numbers[row]) reached.insert(one.numbers[row]);
      if (reached.size() > 1) bounds.emplace_back(&one, &other);
    }
  return bounds;
}

/// Combinations of the bundles' values, some of which were measured and some of which nobody can measure.
class Combinations {
 public:
  explicit Combinations(const table::Table& points)
      : points_(points),
        bundles_(bundles_of(points)),
        relations_(points),
        bounds_(bounds_of(points)),
        columns_(points.columns.size()) {
    RowKeys measured = RowKeys::Zero(static_cast<Eigen::Index>(points.rows));
    for (const auto& bundle : bundles_) measured += bundle.keys;
    taken_.insert(measured.begin(), measured.end());
  }

  /// For each combination that is left, at most `most`, the points that the columns' values are taken from.
  std::vector<Rows> left(std::size_t most, std::uint64_t seed) && {
    double all = 1;
    for (const auto& bundle : bundles_) all *= static_cast<double>(bundle.examples.size());
    if (all - static_cast<double>(taken_.size()) <= static_cast<double>(most)) {
      for (std::size_t number = 0; number < static_cast<std::size_t>(all); ++number)
        take([rest = number](std::size_t values) mutable {
          return std::exchange(rest, rest / values) % values;
        });
    } else {
      Random random(seed);
      for (std::size_t i = 0; i < tries * most && found_.size() < most; ++i)
        take([&](std::size_t values) { return static_cast<std::size_t>(random.below(values)); });
    }
    return std::move(found_);
  }

 private:
  /// The combination with the value of each bundle that is picked of so many.
  template <class Pick>
  void take(Pick pick) {
    Rows examples(columns_);
    std::uint64_t key = 0;
    for (const auto& bundle : bundles_) {
      const auto row = bundle.examples[pick(bundle.examples.size())];
      key += bundle.keys[static_cast<Eigen::Index>(row)];
      for (const auto column : bundle.columns) examples[column] = row;
    }
    const bool is_within = std::ranges::all_of(bounds_, [&](const auto& bound) {
      const auto number = [&](const table::Column* column) {
        return column->numbers[examples[static_cast<std::size_t>(column - points_.columns.data())]];
      };
      return number(bound.first) <= number(bound.second);
    });
    if (is_within && relations_.hold(examples) && taken_.insert(key).second)
      found_.push_back(std::move(examples));
  }

  const table::Table& points_;
  std::vector<Bundle> bundles_;
  Relations relations_;
  Bounds bounds_;
  std::size_t columns_;
  std::unordered_set<std::uint64_t> taken_;  ///< keys of those that were measured, or found
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
