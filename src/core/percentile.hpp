// The names of percentiles, "p99", "response_p999_ms", and which of them is a figure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/estimate.hpp"

namespace neph {

/// Every interval holds the truth with this probability.
inline constexpr double kConfidence = 0.95;

/// "p99" and "response_p99_ms" to 0.99, "p999" to 0.999; empty: the name of something else.
std::optional<double> percentile_of(std::string_view name);

/// The fewest independent samples between whose smallest and largest the q-quantile lies with 95 %: 6 for the
/// median, 29 for p90, 299 for p99, 2,995 for p99.9. The largest std::int64_t for q outside (0, 1).
std::int64_t samples_needed(double q);

/// What stands in place of a q-quantile without an interval, which says nothing of the tail: "too few (needs
/// 299)". Empty: it is a figure, or has no value.
std::string why_not_shown(double q, const Estimate& estimate);

}  // namespace neph
