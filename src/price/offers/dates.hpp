// Days as price lists write them. Only for files of this module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace neph::price {

/// "2026", "2026-11" or "2026-11-25", where that day exists; behind a day a time may follow. Such dates are
/// in order as texts.
bool is_date(std::string_view text);

/// Days from one day to another, both as "2026-11-25"; nothing: one is no day.
std::optional<std::int64_t> days_between(std::string_view from, std::string_view to);

}  // namespace neph::price
