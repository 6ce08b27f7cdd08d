// Columns that tell runs apart, and not what was run: row numbers, ids, time stamps, host names, counts of
// repeats. What stands in a column decides, never its heading:
// - Rows repeat without it, and it differs among rows that repeat while the target does not follow it: a
//   feature with another value in every row (cores in a scaling table, a batch drawn at random) moves the
//   target.
// - No row repeats without it, and it counts all rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/table.hpp"

namespace neph::predict {

/// Of a finding about a column that is no feature because it only tells runs apart.
inline constexpr std::string_view tells_runs_apart = "tells_runs_apart";

struct RunNumber {
  std::size_t column = 0;
  bool is_repeat = false;  ///< it counts the repeats of each configuration
  std::string how;         ///< "counts the rows"
};

/// Of `features`, but for those in `wanted`. The target is above 0 in `rows`. Cost: a pass over each column,
/// and a sort of the rows for each that may be one.
std::vector<RunNumber> run_numbers(const table::Table& table, std::size_t target,
                                   const std::vector<std::size_t>& features,
                                   const std::vector<std::size_t>& wanted, std::vector<std::size_t> rows);

}  // namespace neph::predict
