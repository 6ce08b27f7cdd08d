// What the charts of an advice have in common.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "record/advice.hpp"
#include "report/charts/vega.hpp"

namespace neph::report {

/// For charts only: money is exact as text.
inline double number_of(const Amount& amount) { return std::strtod(amount.amount.c_str(), nullptr); }
inline Json rounded(const std::optional<Amount>& amount) {
  return amount ? rounded(number_of(*amount)) : Json(nullptr);
}

/// A unit in which the longest time has few digits.
struct TimeUnit {
  std::string name;
  double seconds;
};
inline TimeUnit time_unit_for(double longest_s) {
  constexpr double minute = 60, hour = 3600, few = 3;
  if (longest_s >= few * hour) return {"h", hour};
  return longest_s >= few * minute ? TimeUnit{"min", minute} : TimeUnit{"s", 1};
}

}  // namespace neph::report
