// What the names of metrics say: which direction is the good one, and what people mean by "speed" or "p99".
// Inside the module.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metric.hpp"

namespace neph::compare {

/// By the name's ending, whoever measured it. Empty: neither is good (a share of busy time, a length that was
/// chosen, a number of requests), so nothing is judged by it.
std::optional<Better> better_of(std::string_view metric);

/// What people ask for: "speed", "p50", "p95", "p99", "memory", "cpu", "cost".
std::vector<std::string_view> objectives();

/// The metric that stands for an objective: the first of those that would do that both sides have, as
/// `is_there` says. Empty: none, or no such objective.
std::optional<std::string> metric_of(std::string_view objective,
                                     const std::function<bool(const std::string&)>& is_there);

}  // namespace neph::compare
