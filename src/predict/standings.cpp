#include "predict/standings.hpp"

#include <algorithm>
#include <cmath>

namespace neph::predict {
namespace {

/// Standings of columns that the same hold-outs speak for.
using Alike = std::vector<const Standing*>;

std::vector<Alike> alike_in(const std::vector<Standing>& standings) {
  std::vector<Alike> all;
  for (const auto& standing : standings) {
    const auto same = std::ranges::find_if(all, [&](const Alike& each) {
      const auto& first = *each.front();
      return first.condition.situation == standing.condition.situation && first.group == standing.group &&
             first.trials == standing.trials && first.errors == standing.errors;
    });
    (same == all.end() ? all.emplace_back() : *same).push_back(&standing);
  }
  return all;
}

}  // namespace

std::vector<StandingInWords> standings_in_words(const Model& model) {
  std::vector<StandingInWords> words;
  for (const auto& alike : alike_in(model.blend().standings())) {
    const auto& standing = *alike.front();
    std::vector<Condition> conditions;
    for (const auto* each : alike) conditions.push_back(each->condition);
    const auto weights = model.blend().weights({{standing.condition}, {standing.distance}});
    Eigen::Index best = 0;
    weights.maxCoeff(&best);
    words.push_back({.where = model.words(conditions),
                     .trials = standing.trials,
                     .median = std::expm1(standing.median),
                     .p90 = std::expm1(standing.p90),
                     .best = model.way(static_cast<std::size_t>(best)),
                     .weight = weights[best]});
  }
  return words;
}

}  // namespace neph::predict
