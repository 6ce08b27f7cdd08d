#include "predict/profile/row_key.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/fnv1a.hpp"
#include "core/random.hpp"

namespace neph::predict {
namespace {

/// What stands for an empty cell: no number that is there has these bits.
const auto nothing = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

std::uint64_t mixed(std::uint64_t bits) { return split_mix(bits); }

}  // namespace

RowKeys keys_of(const table::Column& column, const std::vector<std::size_t>& rows) {
  const auto name = mixed(fnv1a(column.name));
  std::vector<std::uint64_t> levels;
  for (const auto& level : column.levels) levels.push_back(fnv1a(level));
  RowKeys keys(std::ssize(rows));
  std::ranges::transform(rows, keys.begin(), [&](std::size_t row) {
    if (column.is_empty(row)) return mixed(name ^ nothing);
    return mixed(name ^ (column.is_text() ? levels[static_cast<std::size_t>(column.codes[row])]
                                          : std::bit_cast<std::uint64_t>(column.numbers[row] + 0.0)));
  });
  return keys;
}

RowKeys keys_of(const table::Table& table, const std::vector<std::size_t>& columns,
                const std::vector<std::size_t>& rows) {
  RowKeys keys = RowKeys::Zero(std::ssize(rows));
  for (const auto column : columns) keys += keys_of(table.columns[column], rows);
  return keys;
}

AlikeGroups::AlikeGroups(const RowKeys& keys) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (const auto key : keys) order.emplace_back(key, order.size());
  std::sort(order.begin(), order.end());
  places_.reserve(order.size());
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
