// How fast items were answered, under the metric that counts such items.
#pragma once

#include "record/metrics.hpp"
#include "workload/infer/input_plan.hpp"

namespace neph::workload {

constexpr const Metric& speed_metric(Item item) {
  switch (item) {
    case Item::image:
      break;
    case Item::sequence:
      return metric::sequences_per_s;
    case Item::sample:
      return metric::samples_per_s;
  }
  return metric::images_per_s;
}

/// Of sequences also that of the `tokens` in each.
inline void add_speed(Item item, std::int64_t tokens, const Estimate& speed, RunResult& result) {
  result.figures.push_back(figure(speed_metric(item), speed));
  if (item != Item::sequence || tokens < 1) return;
  auto of_tokens = speed;
  const auto scale = static_cast<double>(tokens);
  of_tokens.value *= scale;
  if (of_tokens.low) *of_tokens.low *= scale;
  if (of_tokens.high) *of_tokens.high *= scale;
  result.figures.push_back(figure(metric::tokens_per_s, of_tokens));
}

}  // namespace neph::workload
