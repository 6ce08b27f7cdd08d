// Rows to fit on and rows to predict afterwards, as a user states them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.hpp"

namespace neph::predict {

struct Split {
  std::string name;                      ///< "gpus<=4 -> gpus>4", "model VGG19 left out", "fold 2 of 5"
  std::vector<std::size_t> train, test;  ///< places of rows, ascending
};

/// "gpus<=4 -> gpus>4": two sides, each of conditions that all hold, with '&' between them. A condition is a
/// column, one of <= >= != < > =, and a value, or several for = and != with '|' between them: "model=A|B". A
/// side that is empty has all rows that the other has not. Texts that are numbers with the same words behind
/// them ("128dataset") are compared as those numbers too. Errors: invalid_argument (it does not parse, a row
/// on both sides, a side without rows), not_found (no such column).
Result<Split> parse_split(std::string_view text, const table::Table& rows);

/// For each value of a column the split that predicts its rows from all others and from `keep` of its own,
/// drawn at random `draws` times. Values with no more rows than `keep` are not left out. Errors: not_found,
/// invalid_argument (one value only, or none with more rows than `keep`).
Result<std::vector<Split>> leave_out(const table::Table& rows, std::string_view column, std::size_t keep,
                                     std::size_t draws, std::uint64_t seed);

/// Each row is in one of `count` random folds, and predicted from the others.
std::vector<Split> folds(std::size_t rows, std::size_t count, std::uint64_t seed);

/// `count` random rows predict all others, `draws` times.
std::vector<Split> samples(std::size_t rows, std::size_t count, std::size_t draws, std::uint64_t seed);

/// `most` of the rows, drawn at random and always the same, where there are more of them; ascending.
std::vector<std::size_t> drawn_from(const std::vector<std::size_t>& rows, std::size_t most);

}  // namespace neph::predict
