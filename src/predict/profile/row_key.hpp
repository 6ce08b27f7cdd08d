// Which rows of a table have the same values, of tables of many millions of rows too.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "table/table.hpp"

namespace neph::predict {

/// Numbers of 64 bits that are equal where rows are. A row's is the sum of its cells', so that columns can be
/// added and taken out again. Two of ten million different rows have the same one with a chance of 3 in a
/// million.
using RowKeys = Eigen::Array<std::uint64_t, Eigen::Dynamic, 1>;

/// What cells count for: the name of their column and what stands in them, whatever the order of rows,
/// columns and levels. Empty cells of a column are the same, as are 0 and -0.
RowKeys keys_of(const table::Column& column, const std::vector<std::size_t>& rows);
RowKeys keys_of(const table::Table& table, const std::vector<std::size_t>& columns,
                const std::vector<std::size_t>& rows);

/// Places of equal keys, group by group in the order of the keys: an order that depends on what is in
/// the rows alone, and on nothing that a reader would call one.
class AlikeGroups {
 public:
  explicit AlikeGroups(const RowKeys& keys);
  std::size_t size() const { return begins_.size() - 1; }
  std::span<const std::size_t> operator[](std::size_t group) const;

 private:
  std::vector<std::size_t> places_;  ///< group by group
  std::vector<std::size_t> begins_;  ///< of each group, and the end of the last
};

}  // namespace neph::predict
