// Parts of a table that are left out to see how well the rest predicts them: each leaves the rest the way a
// query may leave the whole.
#pragma once

#include <algorithm>
#include <compare>
#include <optional>
#include <vector>

#include "core/describe.hpp"
#include "predict/design.hpp"

namespace neph::predict {

enum class Situation {
  inside,  ///< no number beyond its range, no new category
  above,   ///< a number above all that were measured
  below,
  unvaried,  ///< another value of a number that never differed
  between,   ///< a value between those of a grid
  sparse,    ///< a number at an end of its range for which few points stand (crowded_range)
  unseen,    ///< a level of a category that was not measured
  few,       ///< a level with few rows beside others with many
};
constexpr auto enum_names(Situation) {
  return std::array{Named{Situation::inside, "inside"},   Named{Situation::above, "above"},
                    Named{Situation::below, "below"},     Named{Situation::unvaried, "unvaried"},
                    Named{Situation::between, "between"}, Named{Situation::sparse, "sparse"},
                    Named{Situation::unseen, "unseen"},   Named{Situation::few, "few"}};
}

/// How a row lies to the rows that were fitted on. `column`: of the ranged numbers for above to sparse, of
/// the categories for unseen and few, 0 for inside.
struct Condition {
  Situation situation = Situation::inside;
  Eigen::Index column = 0;
  auto operator<=>(const Condition&) const = default;
};

/// Whether a number is another than any that was fitted on.
constexpr bool leaves_range(Situation situation) {
  return situation == Situation::above || situation == Situation::below || situation == Situation::unvaried;
}

/// Whether a number is one that was not measured, or hardly, with others beyond it.
constexpr bool is_in_range(Situation situation) {
  return situation == Situation::between || situation == Situation::sparse;
}

/// Whether it is by how few points stand where the row is.
constexpr bool depends_on_few(Situation situation) {
  return situation == Situation::sparse || situation == Situation::few;
}

/// Whether it is of a number, which is more or less far.
constexpr bool has_distance(Situation situation) { return leaves_range(situation) || is_in_range(situation); }

/// The values of a number that was measured at three to a dozen of them, sorted; of others empty.
std::vector<double> grid_of(const Eigen::VectorXd& numbers);

/// How far a number is from the nearest of others, which are sorted; 0: there are none.
double distance_to_nearest(const std::vector<double>& sorted, double value);

/// A number's range without values at its ends that have four points or fewer where those further inside, and
/// at the other end, have four times as many in the mean. Of a number with more than a dozen values an end is
/// what stands apart from all others by more than half of the range.
struct CrowdedRange {
  double low = 0, high = 0;
  /// How far a number is beyond it; 0: it is within.
  double distance_to(double value) const { return std::max({0.0, value - high, low - value}); }
};
CrowdedRange crowded_range(const Eigen::VectorXd& numbers);

/// Whether a level has so few rows beside the most frequent one's that it is rare.
bool is_rare(std::size_t rows, std::size_t most);

/// Rows, sorted, at ends of ranges and with levels that few others share, of which a draw of many rows must
/// not be without: up to `most` of them.
std::vector<std::size_t> rows_that_few_stand_for(const Inputs& inputs, std::size_t most);

struct HoldOut {
  /// All that is true of what is left out: where columns vary together, it lies above the range of each.
  std::vector<Condition> conditions;
  std::vector<std::size_t> kept, left_out;
  /// Of those that are kept, the few of the level or end of a range of which all others are left out.
  std::vector<std::size_t> few;
};

struct HoldOutSettings {
  int folds = 5;
  /// Ranged numbers whose values are left out, and categories whose levels are; nothing: all.
  std::optional<std::vector<Eigen::Index>> columns, categories;
  std::size_t most_levels = 16;  ///< of a category that are left out, one at a time
  /// Of more rows a draw, which says as much of a way to predict: of those that are kept in folds and in
  /// others, and of those that are left out.
  std::size_t most_kept_in_folds = 100'000, most_kept = 5000, most_left_out = 2000;
};

/// - inside: random folds, drawn anew until 200 rows were left out or ten times.
/// - above, below: the outermost level of a number, where two others are kept; then the two outermost.
///   Numbers with many levels: a tenth and a fifth of the rows.
/// - between: one of up to two values in the middle of a grid.
/// - sparse: where an end of a number's range has few points, all but so many of what lies next to it,
///   without that end, and of the other end; not where only one value has many.
/// - unvaried: all but the lowest level of a number.
/// - unseen: one level of a category.
/// - few: all but so many rows of a level with many as the level with the fewest has.
/// But for folds, none that would keep fewer than eight rows or a seventh of them, or leave out fewer than
/// three. The same for the same inputs.
std::vector<HoldOut> hold_outs(const Inputs& inputs, const HoldOutSettings& settings = {});

}  // namespace neph::predict
