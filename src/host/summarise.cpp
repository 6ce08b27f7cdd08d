#include "host/summarise.hpp"

#include <algorithm>
#include <limits>

namespace neph::host {
namespace {

struct Span {
  double begin_s;
  double end_s;
  double length() const { return end_s - begin_s; }
};

// The time that point i stands for.
Span span_of(const Series& series, std::size_t i) {
  constexpr double ever = std::numeric_limits<double>::infinity();
  return {i == 0 ? -ever : series.at_s[i - 1], i + 1 == series.at_s.size() ? ever : series.at_s[i]};
}

double overlap(Span a, Span b) { return std::min(a.end_s, b.end_s) - std::max(a.begin_s, b.begin_s); }

// An endless span lies mostly outside of every window, but its finite neighbourhood is what was observed: it
// is taken to be as long as the distance to the next reading.
double observed_length(const Series& series, std::size_t i) {
  if (series.at_s.size() < 2) return 0;
  return i == 0 ? series.at_s[1] - series.at_s[0] : series.at_s[i] - series.at_s[i - 1];
}

void fill(const Series& series, Span window, SeriesSummary& summary) {
  double weighted = 0;
  double weight = 0;
  double covering_overlap = -std::numeric_limits<double>::infinity();
  double covering = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    const double inside = overlap(span_of(series, i), window);
    if (inside > covering_overlap) {
      covering_overlap = inside;
      covering = value;
    }
    if (inside <= 0 || inside < 0.5 * observed_length(series, i)) continue;
    weighted += value * inside;
    weight += inside;
    summary.max = std::max(summary.max.value_or(value), value);
    summary.min = std::min(summary.min.value_or(value), value);
  }
  if (weight > 0)
    summary.mean = std::clamp(weighted / weight, *summary.min, *summary.max);
  else
    summary.mean = summary.max = summary.min = covering;
}

}  // namespace

std::vector<SeriesSummary> summarise(const std::vector<Series>& series, double begin_s, double end_s) {
  std::vector<SeriesSummary> summaries;
  summaries.reserve(series.size());
  for (const auto& one : series) {
    auto& summary = summaries.emplace_back(SeriesSummary{
        .target = one.target, .name = one.name, .unit = one.unit, .unavailable = one.unavailable});
    if (!one.values.empty() && one.values.size() == one.at_s.size()) fill(one, {begin_s, end_s}, summary);
  }
  return summaries;
}

}  // namespace neph::host
