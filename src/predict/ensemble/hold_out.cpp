#include "predict/ensemble/hold_out.hpp"

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
constexpr std::size_t many_levels = 12;  ///< of a number that is no grid's
constexpr std::size_t most_parts = 12;   ///< of a category's levels
constexpr int folds_of_a_round = 5;
constexpr std::size_t few_rows = 20;                           ///< of a level that is called rare
constexpr double share_of_rare = 0.1;                          ///< of all rows: with more, folds know them
constexpr std::size_t enough_left_out = 200, most_rounds = 3;  ///< of folds
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

/// Below its lowest and above its highest kept value a number's rows are left out.
struct Kept {
  double low, high;
};

/// What stays without the `steps` outermost levels at both ends, of many without tenths of the rows; nothing:
/// too few levels.
std::optional<Kept> kept_within(const std::vector<double>& all, std::size_t steps) {
  const auto levels = distinct(all);
  if (levels.size() <= many_levels) {
    if (levels.size() < steps + 2) return std::nullopt;
    return Kept{levels[steps], levels[levels.size() - 1 - steps]};
  }
  // Rows with the value at the cut are left out too, and a tenth of the range: a hold-out of what lies next
  // to what is kept says little of a step.
  const auto cut = all.size() * steps / 10;
  const double part = (all.back() - all.front()) * static_cast<double>(steps) / 10;
  const auto low = std::max(std::ranges::upper_bound(levels, all[cut]),
                            std::ranges::lower_bound(levels, all.front() + part));
  const auto high = std::min(std::ranges::lower_bound(levels, all[all.size() - 1 - cut]),
                             std::ranges::upper_bound(levels, all.back() - part));
  if (low == levels.end() || high == levels.begin()) return std::nullopt;
  return Kept{*low, *std::prev(high)};
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
    }
    for (Index c = 0; c < inputs_.matrix.levels.cols(); ++c) {
      if (!is_asked(settings_.categories, c)) continue;
      const auto rows = rows_by_level(c);
      unseen(c, rows);
      rare(c, rows);
    }
    return std::move(all_);
  }

 private:
  static bool is_asked(const std::optional<std::vector<Index>>& columns, Index column) {
    return !columns || std::ranges::find(*columns, column) != columns->end();
  }
  using Test = std::function<bool(std::size_t)>;
  /// `staying`: rows that any draw of those that are kept has; sorted.
  void add(const Shift& shift, const Test& is_left_out, const Rows& staying = {}) {
    HoldOut split{.shifts = {shift}, .kept = {}, .left_out = {}};
    for (std::size_t i = 0; i < count_; ++i) (is_left_out(i) ? split.left_out : split.kept).push_back(i);
    const bool is_fold = shift.kind == ShiftKind::inside;  // every table has these
    if (!is_fold && (split.kept.size() < fewest_kept || split.left_out.size() < fewest_left_out ||
                     static_cast<double>(split.kept.size()) < least_share_kept * static_cast<double>(count_)))
      return;
    const auto [same, is_new] = index_of_.emplace(split.left_out, all_.size());
    if (!is_new) {
      auto& shifts = all_[same->second].shifts;
      if (std::ranges::find(shifts, shift) == shifts.end()) shifts.push_back(shift);
      return;
    }
    thin(split.kept, is_fold ? settings_.most_kept_in_folds : settings_.most_kept, random_, staying);
    thin(split.left_out, settings_.most_left_out, random_);
    all_.push_back(std::move(split));
  }

  static void thin(Rows& rows, std::size_t most, Random& random, const Rows& staying = {}) {
    if (rows.size() <= most) return;
    shuffle(rows, random);
    std::ranges::stable_partition(rows, [&](std::size_t row) { return is_in(staying, row); });
    rows.resize(most);
    std::sort(rows.begin(), rows.end());
  }
  static bool is_in(const Rows& sorted, std::size_t row) {
    return std::binary_search(sorted.begin(), sorted.end(), row);
  }

  /// Of few rows one way to part them says little: they are parted anew.
  void folds() {
    Rows order(count_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<int> fold(count_);
    for (std::size_t left_out = 0, round = 0;
         round == 0 || (left_out < enough_left_out && round < most_rounds); ++round, left_out += count_) {
      shuffle(order, random_);
      for (std::size_t i = 0; i < count_; ++i) fold[order[i]] = static_cast<int>(i) % folds_of_a_round;
      for (int k = 0; k < folds_of_a_round; ++k) add({}, [&](std::size_t i) { return fold[i] == k; });
    }
  }

  void beyond(Index column) {
    const auto values = inputs_.ranged.col(column);
    const auto all = sorted(values);
    for (const std::size_t steps : {1, 2}) {
      const auto kept = kept_within(all, steps);
      if (!kept) return;
      add({ShiftKind::above, column},
          [&](std::size_t i) { return values[static_cast<Index>(i)] > kept->high; });
      add({ShiftKind::below, column},
          [&](std::size_t i) { return values[static_cast<Index>(i)] < kept->low; });
    }
  }

  void between(Index column) {
    const auto grid = grid_of(inputs_.ranged.col(column));
    if (grid.empty()) return;
    add({ShiftKind::between, column}, [&](std::size_t i) {
      return inputs_.ranged(static_cast<Index>(i), column) == grid[grid.size() / 2];
    });
  }

  std::vector<Rows> rows_by_level(Index category) const {
    std::vector<Rows> all(static_cast<std::size_t>(level_count(inputs_.matrix, category)));
    for (std::size_t i = 0; i < count_; ++i)
      if (const int level = inputs_.matrix.levels(static_cast<Index>(i), category); level >= 0)
        all[static_cast<std::size_t>(level)].push_back(i);
    std::erase(all, Rows());
    return all;
  }

  /// Of many levels as many parts of them as may be left out.
  void unseen(Index category, const std::vector<Rows>& by_level) {
    if (by_level.size() < 3) return;
    std::vector<std::size_t> order(by_level.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random_);
    std::vector<Rows> parts(std::min(most_parts, order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto& part = parts[i % parts.size()];
      part.insert(part.end(), by_level[order[i]].begin(), by_level[order[i]].end());
    }
    for (auto& part : parts) {
      std::ranges::sort(part);
      add({ShiftKind::unseen, category}, [&](std::size_t i) { return is_in(part, i); });
    }
  }

  void rare(Index category, const std::vector<Rows>& by_level) {
    if (by_level.size() < 2) return;
    std::vector<std::size_t> counts;
    for (const auto& level : by_level) counts.push_back(level.size());
    const auto is_rare = rare_levels(counts);
    if (std::ranges::find(is_rare, true) == is_rare.end()) return;
    const auto fewest = std::ranges::min(counts);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < by_level.size(); ++i) {
      const auto& level = by_level[i];
      if (is_rare[i] || level.size() < 2 * fewest + fewest_left_out || taken == most_parts) continue;
      ++taken;
      auto staying = level;  // of which every row is needed
      Random random(seed);   // the same whichever column asks: columns that vary together leave out the same
      thin(staying, fewest, random);
      add(
          {ShiftKind::rare, category},
          [&](std::size_t row) { return is_in(level, row) && !is_in(staying, row); }, staying);
    }
  }

  const Inputs& inputs_;
  const HoldOutSettings& settings_;
  std::size_t count_;
  Random random_;
  std::vector<HoldOut> all_;
  std::map<Rows, std::size_t> index_of_;  ///< of what is left out, before it is thinned
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

std::vector<bool> rare_levels(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t level) { return counts[level]; });
  const auto most = counts.empty() ? 0 : std::ranges::max(counts);
  const double all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  std::vector<bool> rare(counts.size(), false);
  double rows = 0;
  for (const auto level : order) {
    rows += static_cast<double>(counts[level]);
    rare[level] = rows <= share_of_rare * all && counts[level] <= few_rows &&
                  most >= 2 * counts[level] + fewest_left_out;
  }
  return rare;
}

std::vector<HoldOut> hold_outs(const Inputs& inputs, const HoldOutSettings& settings) {
  return HoldingOut(inputs, settings)();
}

}  // namespace neph::predict
