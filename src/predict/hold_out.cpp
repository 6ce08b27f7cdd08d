#include "predict/hold_out.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "core/random.hpp"

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

bool is_sparse(const Cluster& cluster, const std::vector<Cluster>& all) {
  std::size_t points = 0;
  for (const auto& each : all) points += each.size();
  const std::size_t others = all.size() - 1;
  return others > 0 && cluster.size() <= few_of_an_end &&
         points - cluster.size() >= times_as_many * cluster.size() * others;
}

class HoldingOut {
 public:
  HoldingOut(const Inputs& inputs, const HoldOutSettings& settings)
      : inputs_(inputs),
        settings_(settings),
        count_(static_cast<std::size_t>(inputs.rows())),
        random_(seed) {}

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
  void add(const Condition& condition, const Test& is_left_out, const Test& is_unused = {}) {
    HoldOut split{.conditions = {condition}};
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
    thin(split.kept, is_fold ? settings_.most_kept_in_folds : settings_.most_kept);
    thin(split.left_out, settings_.most_left_out);
    all_.push_back(std::move(split));
  }

  void thin(Rows& rows, std::size_t most) {
    if (rows.size() <= most) return;
    shuffle(rows, random_);
    rows.resize(most);
    std::sort(rows.begin(), rows.end());
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
    auto clusters = clusters_of(inputs_.ranged.col(column));
    if (clusters.size() < 2) return;
    for (const bool from_below : {false, true}) {
      if (from_below) std::ranges::reverse(clusters);
      if (!is_sparse(clusters.back(), clusters)) continue;
      const auto few = clusters.back().size();
      if (clusters.size() > 2) all_but(few, clusters[clusters.size() - 2], clusters.back(), column);
      all_but(few, clusters.front(), {}, column);
    }
  }
  /// Leaves so many rows of a cluster, as if its end of the range had no others.
  void all_but(std::size_t few, const Cluster& cluster, const Cluster& unused, Index column) {
    const auto in = [&](const Cluster& values, std::size_t i) {
      return std::ranges::binary_search(values, inputs_.ranged(static_cast<Index>(i), column));
    };
    Rows rows;
    for (std::size_t i = 0; i < count_; ++i)
      if (in(cluster, i)) rows.push_back(i);
    shuffle(rows, random_);
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(few, rows.size())));
    std::sort(rows.begin(), rows.end());
    add(
        {Situation::sparse, column}, [&](std::size_t i) { return std::ranges::binary_search(rows, i); },
        [&](std::size_t i) { return in(unused, i); });
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
      add({Situation::unseen, category},
          [&](std::size_t i) { return std::binary_search(rows.begin(), rows.end(), i); });
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
      auto rows = level;
      shuffle(rows, random_);
      rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rarest));
      std::sort(rows.begin(), rows.end());
      add({Situation::few, category},
          [&](std::size_t i) { return std::binary_search(rows.begin(), rows.end(), i); });
    }
  }

  const Inputs& inputs_;
  const HoldOutSettings& settings_;
  std::size_t count_;
  Random random_;
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
  const bool is_low_sparse = is_sparse(clusters.front(), clusters),
             is_high_sparse = is_sparse(clusters.back(), clusters);
  return {clusters[is_low_sparse ? 1 : 0].front(),
          clusters[clusters.size() - (is_high_sparse ? 2 : 1)].back()};
}

bool is_rare(std::size_t rows, std::size_t most) {
  return rows <= few_rows && most >= 2 * rows + fewest_left_out;
}

std::vector<HoldOut> hold_outs(const Inputs& inputs, const HoldOutSettings& settings) {
  return HoldingOut(inputs, settings)();
}

}  // namespace neph::predict
