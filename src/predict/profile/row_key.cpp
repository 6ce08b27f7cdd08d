#include "predict/profile/row_key.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/fnv1a.hpp"
#include "core/random.hpp"

namespace neph::predict {
namespace {

/// What stands for an empty cell: no number that is there has these bits.
const auto nothing = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

std::uint64_t mixed(std::uint64_t bits) { return split_mix(bits); }

}  // namespace

CellKeys::CellKeys(const table::Column& column) : column_(column), name_(mixed(fnv1a(column.name))) {
  for (const auto& level : column.levels) levels_.push_back(fnv1a(level));
}

std::uint64_t CellKeys::operator()(std::size_t row) const {
  if (column_.is_empty(row)) return mixed(name_ ^ nothing);
  return mixed(name_ ^ (column_.is_text() ? levels_[static_cast<std::size_t>(column_.codes[row])]
                                          : std::bit_cast<std::uint64_t>(column_.numbers[row] + 0.0)));
}

RowKeys keys_of(const table::Table& table, const std::vector<std::size_t>& columns,
                const std::vector<std::size_t>& rows) {
  RowKeys keys(rows.size(), 0);
  for (const auto column : columns) {
    const CellKeys key(table.columns[column]);
    for (std::size_t i = 0; i < rows.size(); ++i) keys[i] += key(rows[i]);
  }
  return keys;
}

void take_out(const table::Column& column, const std::vector<std::size_t>& rows, RowKeys& keys) {
  const CellKeys key(column);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] -= key(rows[i]);
}

AlikeGroups::AlikeGroups(const RowKeys& keys) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = {keys[i], i};
  std::sort(order.begin(), order.end());
  places_.reserve(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].first != order[i - 1].first) begins_.push_back(i);
    places_.push_back(order[i].second);
  }
  begins_.push_back(places_.size());
}

std::span<const std::size_t> AlikeGroups::operator[](std::size_t group) const {
  return std::span(places_).subspan(begins_[group], begins_[group + 1] - begins_[group]);
}

}  // namespace neph::predict
