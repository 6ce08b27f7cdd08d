// Which column of a price list says what. Only for files of this module; others include price/price.hpp.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "price/offers/catalogue.hpp"

namespace neph::price {

enum class Cell {
  provider,
  instance,
  region,
  zone,
  vcpus,
  memory_gib,
  gpu,
  gpus,
  gpu_info,
  gpu_memory_gib,
  arch,
  price,
  spot,  ///< a price, or whether the price is one
  currency,
  rule,
  date,
  vcpu_price,
  gib_price,
  gpu_price,
};
inline constexpr std::size_t cell_kinds = static_cast<std::size_t>(Cell::gpu_price) + 1;

class Headings {
 public:
  /// Whatever the order and the case. Errors: invalid_argument (they are of no list that is known; two
  /// columns say the same).
  static Result<Headings> read(const std::vector<std::string_view>& names);

  ListFormat format() const { return format_; }
  std::size_t width() const { return width_; }
  bool has(Cell cell) const { return columns_[static_cast<std::size_t>(cell)] >= 0; }
  /// Empty where there is no such column.
  std::string_view of(Cell cell, const std::vector<std::string_view>& cells) const {
    const auto column = columns_[static_cast<std::size_t>(cell)];
    return column < 0 ? std::string_view() : cells[static_cast<std::size_t>(column)];
  }

 private:
  std::array<int, cell_kinds> columns_{};
  ListFormat format_{};
  std::size_t width_ = 0;
};

}  // namespace neph::price
