// What is wrong in price lists: each kind seen in real ones. Only for files of this module; others include
// price/price.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/describe.hpp"

namespace neph::price {

/// How grave a finding is: an error costs the offer, a warning may mislead, a note is for knowing.
enum class Gravity { error, warning, note };
constexpr auto enum_names(Gravity) {
  return std::array{Named{Gravity::error, "error"}, Named{Gravity::warning, "warning"},
                    Named{Gravity::note, "note"}};
}

enum class Flaw {
  bad_row,
  no_name,
  no_price,
  zero_price,
  negative_price,
  bad_price,
  bad_currency,
  currency_contradiction,
  placeholder_price,
  implausible_price,
  bad_number,
  gpu_count,
  gpu_without_price,
  unfilled,
  repeated,
  gpu_without_machine,
  other_price,
  other_gpu_price,
  price_outlier,
  spot_not_less,
  bad_spot_price,
  no_spot_price,
  gpu_missing,
  gpu_half_said,
  gpu_memory_unit,
  gpu_memory_of_all,
  gpu_memory_total,
  gpu_memory_wrong,
  gpu_count_odd,
  no_size,
  size_odd,
  no_region,
  us_only,
  stale,
  bad_date,
  future_date,
  unknown_provider,
  no_rule,
  unknown_rule,
  several_currencies,
  no_currency,
  unfinished,
};

struct FlawKind {
  Flaw flaw{};
  std::string_view code;  ///< in JSON
  Gravity gravity{};
  bool leaves_out = false;  ///< the row makes no offer
  std::string_view title;   ///< of many such rows
  std::string_view advice;
};

const FlawKind& kind_of(Flaw flaw);

struct Finding {
  Flaw flaw{};
  std::int64_t line = 0;  ///< 0: of the whole file
  std::string what;
};

}  // namespace neph::price
