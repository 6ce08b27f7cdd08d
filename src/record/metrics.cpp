#include "record/metrics.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace neph {

std::string label_of(std::string_view figure) {
  for (const auto& metric : metric::all)
    if (metric.name == figure && !metric.label.empty()) return std::string(metric.label);
  for (const auto& time : {metric::response, metric::service, metric::latency})
    for (const auto statistic : usual_percentiles)
      if (time_name(time, statistic) == figure) return fmt::format("{} {}", statistic, time.label);
  return in_words(figure);
}

std::string in_words(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> kept[] = {
      {"picture", "image"}, {"promise broken", "SLO violated"}, {"stolen", "steal"}};
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  for (const auto& [earlier, now] : kept)
    if (const auto at = words.find(earlier); at != std::string::npos) words.replace(at, earlier.size(), now);
  return words;
}

}  // namespace neph
