// Which rows of a table have the same values, of tables of many millions of rows too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predict/table.hpp"

namespace neph::predict {

/// Numbers of 64 bits that are equal where rows are. A row's is the sum of its cells', so that columns can be
/// taken out again. Two of ten million different rows have the same one with a chance of 3 in a million.
using RowKeys = std::vector<std::uint64_t>;

/// What a cell counts for. Empty cells of a column are the same, as are 0 and -0.
std::uint64_t cell_key(const Table& table, std::size_t column, std::size_t row);
RowKeys keys_of(const Table& table, const std::vector<std::size_t>& columns,
                const std::vector<std::size_t>& rows);

/// Places of equal keys, in the order of their first.
class AlikeGroups {
 public:
  explicit AlikeGroups(const RowKeys& keys);
  std::size_t size() const { return begins_.size(); }
  std::span<const std::size_t> operator[](std::size_t group) const;

 private:
  std::vector<std::size_t> places_;  ///< group by group
  std::vector<std::size_t> begins_, ends_;
};

}  // namespace neph::predict
