#include "record/metrics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace neph {

std::string label_of(std::string_view figure) {
  for (const auto& metric : metric::all)
    if (metric.name == figure && !metric.label.empty()) return std::string(metric.label);
  for (const auto& time : {metric::response, metric::service})
    for (const auto statistic : usual_percentiles)
      if (time_name(time, statistic) == figure) return fmt::format("{} {}", statistic, time.label);
  std::string words(figure);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace neph
