// Percentiles as they are shown: the one place that decides which of them is a figure. Without an interval a
// percentile is about the largest of a few samples, and says nothing of the tail. JSON and CSV keep its
// value, with null for the interval (docs/RESULTS.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/estimate.hpp"

namespace neph::report {

/// The estimate of that name as far as it is a figure: finite and, of a percentile, with its interval.
/// nullptr: there is none.
const Estimate* find_shown(const std::map<std::string, Estimate>& estimates, std::string_view name);

/// What stands in place of a percentile without an interval: "too few (needs 299)". Empty: it is a figure.
std::string why_not_shown(std::string_view name, const Estimate& estimate);

/// "123 ± 4", or why_not_shown(), or "–" without a value.
std::string shown_text(const std::map<std::string, Estimate>& estimates, std::string_view name);

}  // namespace neph::report
