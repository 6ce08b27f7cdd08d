// What became of requests, counted: those that were late, and those that were not answered.
#include <algorithm>

#include <fmt/format.h>

#include "load/findings.hpp"
#include "stats/stats.hpp"

namespace neph::load {

std::string failures_in_words(const std::vector<Sample>& samples) {
  std::string words;
  for (const auto& kind : enum_names(Outcome{})) {
    const auto n = std::count_if(samples.begin(), samples.end(),
                                 [&](const Sample& s) { return s.outcome == kind.value; });
    if (kind.value != Outcome::answered && n > 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", n, kind.name);
  }
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// The design effect is the larger of that of the late ones and that of the slower half: where none or all
/// are late, only the second tells how much neighbours resemble each other.
Lateness lateness_of(const std::vector<Sample>& samples, double limit_s) {
  std::vector<double> responses;
  for (const auto& sample : samples) responses.push_back(sample.response_s());
  const double usual = stats::quantile(responses, 0.5);
  std::vector<std::uint8_t> late, slow;
  Lateness seen{.n = std::ssize(samples)};
  for (const auto& sample : samples) {
    late.push_back(sample.outcome != Outcome::answered || sample.response_s() > limit_s);
    slow.push_back(sample.response_s() > usual);
    seen.late += late.back();
  }
  seen.design_effect = std::max(stats::design_effect(late), stats::design_effect(slow));
  return seen;
}

}  // namespace neph::load
