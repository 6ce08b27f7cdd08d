// Parts of a table that are left out to see how well the rest predicts them.
#pragma once

#include <optional>

#include "predict/ensemble/shift.hpp"
#include "predict/features/design.hpp"

namespace neph::predict {

struct HoldOut {
  /// All that is true of what is left out: where columns vary together, it lies above the range of each.
  std::vector<Shift> shifts;
  std::vector<std::size_t> kept, left_out;
};

struct HoldOutSettings {
  /// Ranged numbers whose values are left out, and categories whose levels are; nothing: all.
  std::optional<std::vector<Eigen::Index>> columns, categories;
  /// Of more rows a draw, which says as much of a member: of those that are kept in folds and in others, and
  /// of those that are left out.
  std::size_t most_kept_in_folds = 100'000, most_kept = 5000, most_left_out = 1000;
};

/// - inside: random folds, drawn anew until 200 rows were left out or three times.
/// - above, below: the outermost level of a number, where two others are kept; then the two outermost.
///   Numbers with many levels: a tenth and a fifth of the rows and of the range at least.
/// - between: the value in the middle of a grid.
/// - unseen: one level of a category, or one part of many.
/// - rare: where there are rare levels, all but so many rows of another as the level with the fewest has.
/// But for folds, none that would keep fewer than eight rows or a seventh of them, or leave out fewer than
/// three. The same for the same inputs.
std::vector<HoldOut> hold_outs(const Inputs& inputs, const HoldOutSettings& settings = {});

}  // namespace neph::predict
