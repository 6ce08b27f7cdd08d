// What a measured quantity is: its name in results, stores and exports, and its unit. The lists of them:
// metrics.hpp (figures of a run), telemetry.hpp (what the machine did meanwhile).
#pragma once

#include <string_view>

namespace neph {

/// Which direction of a quantity is the good one: rates are better higher, times lower.
enum class Better { higher, lower };

struct Metric {
  std::string_view name;
  std::string_view unit;
  std::string_view label{};  ///< as a heading; empty: its name in words
  std::string_view per{};    ///< what it counts per: run, image, request; empty: nothing
};

}  // namespace neph
