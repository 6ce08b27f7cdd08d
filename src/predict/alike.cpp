#include "predict/alike.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace neph::predict {
namespace {

std::uint64_t mixed(std::uint64_t bits) { return split_mix(bits); }

}  // namespace

std::uint64_t cell_key(const Table& table, std::size_t column, std::size_t row) {
  const auto& cells = table.columns[column];
  double value = cells.is_text() ? cells.codes[row] : cells.numbers[row];
  if (cells.is_empty(row)) value = std::numeric_limits<double>::infinity();
  return mixed(std::bit_cast<std::uint64_t>(value + 0.0) ^ mixed(column));
}

RowKeys keys_of(const Table& table, const std::vector<std::size_t>& columns,
                const std::vector<std::size_t>& rows) {
  RowKeys keys(rows.size(), 0);
  for (const auto column : columns)
    for (std::size_t i = 0; i < rows.size(); ++i) keys[i] += cell_key(table, column, rows[i]);
  return keys;
}

AlikeGroups::AlikeGroups(const RowKeys& keys) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = {keys[i], i};
  std::sort(order.begin(), order.end());
  std::vector<std::pair<std::size_t, std::size_t>> by_first;  // first place, and where in the order
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || order[i].first != order[i - 1].first) by_first.emplace_back(order[i].second, i);
  std::sort(by_first.begin(), by_first.end());
  places_.reserve(keys.size());
  for (const auto& [first, begin] : by_first) {
    begins_.push_back(places_.size());
    for (auto i = begin; i < order.size() && order[i].first == order[begin].first; ++i)
      places_.push_back(order[i].second);
    ends_.push_back(places_.size());
  }
}

std::span<const std::size_t> AlikeGroups::operator[](std::size_t group) const {
  return std::span(places_).subspan(begins_[group], ends_[group] - begins_[group]);
}

}  // namespace neph::predict
