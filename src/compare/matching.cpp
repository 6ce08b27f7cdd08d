#include "compare/matching.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace neph::compare {
namespace {

const Configuration* find(const Source& source, const std::string& label) {
  const auto found = std::ranges::find(source.configurations, label, &Configuration::label);
  return found == source.configurations.end() ? nullptr : &*found;
}

}  // namespace

Matching match(const Source& baseline, const Source& candidate) {
  Matching matching;
  if (baseline.configurations.size() == 1 && candidate.configurations.size() == 1) {
    const auto &from = baseline.configurations.front(), &to = candidate.configurations.front();
    auto label = from.label == to.label ? from.label : fmt::format("{} → {}", from.label, to.label);
    matching.both.push_back({std::move(label), &from, &to});
    return matching;
  }
  for (const auto& each : baseline.configurations) {
    const auto* other = find(candidate, each.label);
    if (other)
      matching.both.push_back({each.label, &each, other});
    else
      matching.only_baseline.push_back(each.label);
  }
  for (const auto& each : candidate.configurations)
    if (!find(baseline, each.label)) matching.only_candidate.push_back(each.label);
  return matching;
}

}  // namespace neph::compare
