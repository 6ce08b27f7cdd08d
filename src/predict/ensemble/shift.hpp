// How a row may lie to the rows that were fitted on: a hold-out leaves a table the way a query does.
#pragma once

#include <compare>
#include <vector>

#include "core/describe.hpp"
#include "predict/features/feature_matrix.hpp"

namespace neph::predict {

enum class ShiftKind {
  inside,    ///< no number beyond its range, no unseen category
  above,     ///< a number above all that were measured
  below,     ///< a number below all that were measured
  unvaried,  ///< another value of a constant column
  between,   ///< a value between those of a grid
  unseen,    ///< a level of a category that was not measured
  rare,      ///< a level with few rows beside others with many
};
constexpr auto enum_names(ShiftKind) {
  return std::array{Named{ShiftKind::inside, "inside"},   Named{ShiftKind::above, "above"},
                    Named{ShiftKind::below, "below"},     Named{ShiftKind::unvaried, "unvaried"},
                    Named{ShiftKind::between, "between"}, Named{ShiftKind::unseen, "unseen"},
                    Named{ShiftKind::rare, "rare"}};
}

/// `column`: of the ranged numbers for above to between, of the categories for unseen and rare, 0 for inside.
struct Shift {
  ShiftKind kind = ShiftKind::inside;
  Eigen::Index column = 0;
  auto operator<=>(const Shift&) const = default;
};

/// Whether a number is another than any that was fitted on.
constexpr bool leaves_range(ShiftKind kind) {
  return kind == ShiftKind::above || kind == ShiftKind::below || kind == ShiftKind::unvaried;
}

constexpr bool is_of_category(ShiftKind kind) { return kind == ShiftKind::unseen || kind == ShiftKind::rare; }

/// Where a row lies; no shifts: inside.
struct QueryPosition {
  std::vector<Shift> shifts;
  std::vector<double> distances;  ///< of each: beyond the range, or from the nearest of a grid; else 0
  std::vector<Shift> flagged;     ///< of the shifts, and of columns that no member uses: extrapolation
};

/// The values of a number that was measured at three to a dozen of them, sorted; of others empty.
std::vector<double> grid_of(const Eigen::VectorXd& numbers);

/// How far a number is from the nearest of others, which are sorted; 0: there are none.
double distance_to_nearest(const std::vector<double>& sorted, double value);

/// Which levels have so few of the rows that it matters: up to 20, not half of the most frequent one's, and
/// all rare ones together a tenth of the rows at most. By rows of each level.
std::vector<bool> rare_levels(const std::vector<std::size_t>& counts);

}  // namespace neph::predict
