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

/// "gpus<=4 -> gpus>4": two sides, each of conditions (table/row_conditions.hpp). A side that is empty has
/// all rows that the other has not. Errors: those of rows_where, and invalid_argument (no arrow, a row on
/// both sides, a side without rows).
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

}  // namespace neph::predict
