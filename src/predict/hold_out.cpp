#include "predict/hold_out.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "predict/kernel_choice.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Rows = std::vector<std::size_t>;

constexpr std::size_t fewest_kept = 8, fewest_left_out = 3;
constexpr double least_share_kept = 1.0 / 7;
constexpr std::size_t many_levels = 12;                         ///< of a number that is no grid's
constexpr std::size_t few_of_an_end = 4, times_as_many = 4;     ///< in the mean, elsewhere
constexpr std::size_t few_rows = 20;                            ///< of a level that is called rare
constexpr std::size_t enough_left_out = 200, most_rounds = 10;  ///< of folds
constexpr std::uint64_t seed = 1;

std::vector<double> sorted(const Eigen::VectorXd& numbers) {
  std::vector<double> all(numbers.begin(), numbers.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<double> distinct(std::vector<double> sorted) {
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

/// Values of a number that lie near each other, sorted: the levels of a grid, else what is not apart by half
/// of the range. The outermost of random numbers are not.
using Cluster = std::vector<double>;

std::vector<Cluster> clusters_of(const Eigen::VectorXd& numbers) {
  const auto all = sorted(numbers);
  const bool is_grid = distinct(all).size() <= many_levels;
  const double gap = all.empty() ? 0 : (all.back() - all.front()) / (is_grid ? many_levels : 2.0);
  std::vector<Cluster> clusters;
  for (const double value : all) {
    if (clusters.empty() || value - clusters.back().back() > gap) clusters.emplace_back();
    clusters.back().push_back(value);
  }
  return clusters;
}

/// The last of the clusters that is not one of those at the back with few points beside those before them.
std::size_t last_with_many(const std::vector<Cluster>& clusters) {
  std::size_t points = 0;
  for (const auto& each : clusters) points += each.size();
  auto last = clusters.size() - 1;
  for (; last > 0; --last) {
    const auto few = clusters[last].size();
    points -= few;
    if (few > few_of_an_end || points < times_as_many * few * last) break;
  }
  return last;
}

/// Clusters from `first` to `last`, without those at either end that have few points.
struct Crowd {
  std::size_t first = 0, last = 0;
};

/// The largest cluster is never one of those without.
Crowd crowd_of(std::vector<Cluster> clusters) {
  const auto last = last_with_many(clusters);
  std::ranges::reverse(clusters);
  return {clusters.size() - 1 - last_with_many(clusters), last};
}

class HoldingOut {
 public:
  HoldingOut(const Inputs& inputs, const HoldOutSettings& settings)
      : inputs_(inputs),
        settings_(settings),
        count_(static_cast<std::size_t>(inputs.rows())),
        random_(seed),
        turn_(count_) {
    std::iota(turn_.begin(), turn_.end(), std::size_t{0});
    Random random(seed);
    shuffle(turn_, random);
  }

  std::vector<HoldOut> operator()() && {
    folds();
    for (Index j = 0; j < inputs_.ranged.cols(); ++j) {
      if (!is_asked(settings_.columns, j)) continue;
      beyond(j);
      between(j);
      sparse(j);
    }
    for (Index c = 0; c < inputs_.places.levels.cols(); ++c) {
      if (!is_asked(settings_.categories, c)) continue;
      const auto rows = rows_by_level(c);
      unseen(c, rows);
      few(c, rows);
    }
    return std::move(all_);
  }

 private:
  static bool is_asked(const std::optional<std::vector<Index>>& columns, Index column) {
    return !columns || std::ranges::find(*columns, column) != columns->end();
  }
  using Test = std::function<bool(std::size_t)>;
  void add(const Condition& condition, const Test& is_left_out, const Test& is_unused = {}, Rows few = {}) {
    HoldOut split{.conditions = {condition}, .few = std::move(few)};
    for (std::size_t i = 0; i < count_; ++i)
      if (!is_unused || !is_unused(i)) (is_left_out(i) ? split.left_out : split.kept).push_back(i);
    const bool is_fold = condition.situation == Situation::inside;  // every table has these
    if (!is_fold && (split.kept.size() < fewest_kept || split.left_out.size() < fewest_left_out ||
                     static_cast<double>(split.kept.size()) < least_share_kept * static_cast<double>(count_)))
      return;
    const auto [same, is_new] = place_of_.emplace(split.left_out, all_.size());
    if (!is_new) {
      auto& conditions = all_[same->second].conditions;
      if (std::ranges::find(conditions, condition) == conditions.end()) conditions.push_back(condition);
      return;
    }
    thin(split.kept, is_fold ? settings_.most_kept_in_folds : settings_.most_kept, split.few);
    thin(split.left_out, settings_.most_left_out, {});
    all_.push_back(std::move(split));
  }

  /// A draw in which `staying`, some of the rows, are.
  void thin(Rows& rows, std::size_t most, const Rows& staying) {
    if (rows.size() <= most) return;
    std::erase_if(rows, [&](std::size_t row) { return is_in(staying, row); });
    shuffle(rows, random_);
    rows.resize(most - std::min(most, staying.size()));
    rows.insert(rows.end(), staying.begin(), staying.end());
    std::sort(rows.begin(), rows.end());
  }
  static bool is_in(const Rows& sorted, std::size_t row) {
    return std::binary_search(sorted.begin(), sorted.end(), row);
  }
  /// The same ones whichever column asks, so that columns that vary together leave out the same.
  Rows some_of(Rows rows, std::size_t count) const {
    std::ranges::sort(rows, {}, [this](std::size_t row) { return turn_[row]; });
    rows.resize(std::min(count, rows.size()));
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  /// Of few rows one way to part them says little: they are parted anew.
  void folds() {
    Rows order(count_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<int> fold(count_);
    for (std::size_t left_out = 0, round = 0;
         round == 0 || (left_out < enough_left_out && round < most_rounds); ++round, left_out += count_) {
      shuffle(order, random_);
      for (std::size_t i = 0; i < count_; ++i) fold[order[i]] = static_cast<int>(i) % settings_.folds;
      for (int k = 0; k < settings_.folds; ++k) add({}, [&](std::size_t i) { return fold[i] == k; });
    }
  }

  void beyond(Index column) {
    const auto values = inputs_.ranged.col(column);
    const auto all = sorted(values);
    const auto levels = distinct(all);
    if (levels.size() < 2) return;
    if (levels.size() <= many_levels)
      add({Situation::unvaried, column},
          [&](std::size_t i) { return values[static_cast<Index>(i)] > levels.front(); });
    for (const std::size_t outermost : {1, 2}) {
      double low = 0, high = 0;  // the outermost that are kept
      if (levels.size() > many_levels) {
        const auto cut = all.size() * outermost / 10;
        low = all[cut];
        high = all[all.size() - 1 - cut];
      } else {
        if (levels.size() < outermost + 2) return;
        low = levels[outermost];
        high = levels[levels.size() - 1 - outermost];
      }
      add({Situation::above, column}, [&](std::size_t i) { return values[static_cast<Index>(i)] > high; });
      add({Situation::below, column}, [&](std::size_t i) { return values[static_cast<Index>(i)] < low; });
    }
  }

  void between(Index column) {
    const auto grid = grid_of(inputs_.ranged.col(column));
    if (grid.empty()) return;
    const auto middle = grid.size() / 2;
    for (auto place = std::max<std::size_t>(1, middle - 1); place <= middle; ++place)
      add({Situation::between, column},
          [&](std::size_t i) { return inputs_.ranged(static_cast<Index>(i), column) == grid[place]; });
  }

  void sparse(Index column) {
    const auto values = inputs_.ranged.col(column);
    const auto clusters = clusters_of(values);
    if (clusters.size() < 2) return;
    const auto [first, last] = crowd_of(clusters);
    if (first == last) return;  // no other value has enough to leave out
    const auto at = [&values](std::size_t row) { return values[static_cast<Index>(row)]; };
    const double low = clusters[first].front(), high = clusters[last].back();
    const Test is_below = [&](std::size_t i) { return at(i) < low; },
               is_above = [&](std::size_t i) { return at(i) > high; };
    Rows at_first, at_last;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_below(i) && at(i) <= clusters[first].back()) at_first.push_back(i);
      if (!is_above(i) && at(i) >= clusters[last].front()) at_last.push_back(i);
    }
    std::vector<std::size_t> fews;
    if (last + 1 < clusters.size()) fews.push_back(clusters[last + 1].size());
    if (first > 0) fews.push_back(clusters[first - 1].size());
    for (const auto few : fews) {
      all_but(few, at_last, {Situation::sparse, column}, is_above);
      all_but(few, at_first, {Situation::sparse, column}, is_below);
    }
  }
  /// Leaves out of the rows all but so many.
  void all_but(std::size_t count, const Rows& rows, const Condition& condition, const Test& is_unused = {}) {
    const auto few = some_of(rows, count);
    add(
        condition, [&](std::size_t i) { return is_in(rows, i) && !is_in(few, i); }, is_unused, few);
  }

  std::vector<Rows> rows_by_level(Index category) const {
    std::map<int, Rows> by_level;
    for (std::size_t i = 0; i < count_; ++i)
      by_level[inputs_.places.levels(static_cast<Index>(i), category)].push_back(i);
    by_level.erase(-1);
    std::vector<Rows> all;
    for (auto& [level, rows] : by_level) all.push_back(std::move(rows));
    return all;
  }

  void unseen(Index category, const std::vector<Rows>& by_level) {
    if (by_level.size() < 3) return;
    std::vector<std::size_t> order(by_level.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random_);
    if (order.size() > settings_.most_levels) order.resize(settings_.most_levels);
    for (const auto level : order) {
      const auto& rows = by_level[level];
      add({Situation::unseen, category}, [&](std::size_t i) { return is_in(rows, i); });
    }
  }

  void few(Index category, const std::vector<Rows>& by_level) {
    if (by_level.size() < 2) return;
    const auto smaller = [](const Rows& a, const Rows& b) { return a.size() < b.size(); };
    const auto rarest = std::min_element(by_level.begin(), by_level.end(), smaller)->size();
    std::size_t taken = 0;
    for (const auto& level : by_level) {
      if (!is_rare(rarest, level.size()) || taken == settings_.most_levels) continue;
      ++taken;
      all_but(rarest, level, {Situation::few, category});
    }
  }

  const Inputs& inputs_;
  const HoldOutSettings& settings_;
  std::size_t count_;
  Random random_;
  Rows turn_;  ///< of each row, when it is taken where some are
  std::vector<HoldOut> all_;
  std::map<Rows, std::size_t> place_of_;  ///< of what is left out, before it is thinned
};

}  // namespace

std::vector<double> grid_of(const Eigen::VectorXd& numbers) {
  auto levels = distinct(sorted(numbers));
  if (levels.size() < 3 || levels.size() > many_levels) levels.clear();
  return levels;
}

double distance_to_nearest(const std::vector<double>& sorted, double value) {
  if (sorted.empty()) return 0;
  const auto above = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (above == sorted.begin()) return *above - value;
  if (above == sorted.end()) return value - sorted.back();
  return std::min(*above - value, value - *std::prev(above));
}

CrowdedRange crowded_range(const Eigen::VectorXd& numbers) {
  const auto clusters = clusters_of(numbers);
  if (clusters.empty()) return {};
  const auto [first, last] = crowd_of(clusters);
  return {clusters[first].front(), clusters[last].back()};
}

bool is_rare(std::size_t rows, std::size_t most) {
  return rows <= few_rows && most >= 2 * rows + fewest_left_out;
}

std::vector<std::size_t> rows_that_few_stand_for(const Inputs& inputs, std::size_t most) {
  std::vector<bool> is_one(static_cast<std::size_t>(inputs.rows()), false);
  for (Index j = 0; j < inputs.ranged.cols(); ++j) {
    const auto range = crowded_range(inputs.ranged.col(j));
    for (Index i = 0; i < inputs.rows(); ++i)
      if (range.distance_to(inputs.ranged(i, j)) > 0) is_one[static_cast<std::size_t>(i)] = true;
  }
  for (Index c = 0; c < inputs.places.levels.cols(); ++c) {
    std::map<int, Rows> by_level;
    for (Index i = 0; i < inputs.rows(); ++i)
      by_level[inputs.places.levels(i, c)].push_back(static_cast<std::size_t>(i));
    std::size_t most_of_a_level = 0;
    for (const auto& [level, rows] : by_level) most_of_a_level = std::max(most_of_a_level, rows.size());
    for (const auto& [level, rows] : by_level)
      if (is_rare(rows.size(), most_of_a_level))
        for (const auto row : rows) is_one[row] = true;
  }
  Rows rows;
  for (std::size_t i = 0; i < is_one.size(); ++i)
    if (is_one[i]) rows.push_back(i);
  if (rows.size() <= most) return rows;
  Rows drawn;
  for (const auto place : drawn_rows(rows.size(), most)) drawn.push_back(rows[place]);
  return drawn;
}

std::vector<HoldOut> hold_outs(const Inputs& inputs, const HoldOutSettings& settings) {
  return HoldingOut(inputs, settings)();
}

}  // namespace neph::predict
