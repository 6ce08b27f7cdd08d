// Which of too many points are kept, and in which order points stand. Both depend on what is in them alone: a
// table that was shuffled is the same table.
#pragma once

#include <vector>

#include "table/table.hpp"

namespace neph::predict {

/// Places of rows: those at the ends of each number, the first of each level, of each value of a
/// number with few, and of empty cells, and of the others a draw: `most` in all, or as many as it takes.
std::vector<std::size_t> drawn_points(const table::Table& features, std::size_t most);

/// Places of rows by the first column, then by the second, and so on: numbers (also in text, as
/// "64px") by size, levels as they stand, empty cells first.
std::vector<std::size_t> sorted_points(const table::Table& features);

}  // namespace neph::predict
