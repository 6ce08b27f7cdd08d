// Columns that are the target in another guise: its reciprocal, itself in another unit, a loss (its
// negative), its logarithm or exponential, a total, an end of its interval. They were measured with it, and
// are not known of a run that was not made.
//
// That the target is proportional to a column proves nothing: a time is to the number of images, which is
// what a prediction lives from. What tells the two apart:
// - A feature is set, and what is measured scatters about its multiples. A copy follows the target to the
//   last digit that is written, and is as fine as a measurement: its values are no grid, nor few.
// - An interval's end follows it nearly. Then only a column counts that the other columns say as well: it
//   scatters about them as the target does, and a fit loses little without it. A feature that was set apart
//   from the others cannot be told from them.
#pragma once

#include <string>
#include <vector>

#include "table/table.hpp"

namespace neph::predict {

struct TargetCopy {
  std::size_t column = 0;
  std::string how;  ///< "'step (ms)' times 0.001 in every row"
};

/// Of those of `features` that are not in `wanted`, by a draw of the rows. The target is above 0 in `rows`.
/// Cost: a pass over each column, and for each that fits a factorisation of at most 400 rows.
std::vector<TargetCopy> target_copies(const table::Table& table, std::size_t target,
                                      const std::vector<std::size_t>& features,
                                      const std::vector<std::size_t>& wanted,
                                      const std::vector<std::size_t>& rows);

}  // namespace neph::predict
