#include "load/rate_search.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

constexpr double lowest_per_s = 0.01;

}  // namespace

RateSearch::RateSearch(const Promise& promise, const SearchRule& rule) : promise_(promise), rule_(rule) {
  go_to(rule.start_per_s);
}

void RateSearch::go_to(double rate_per_s) {
  if (std::ssize(trials_) >= rule_.most_rates || rate_per_s < lowest_per_s) {
    over_ = true;
    return;
  }
  rate_ = rate_per_s;
  trials_.push_back({.rate_per_s = rate_per_s});
}

void RateSearch::learn(const Probe& probe) {
  auto& trial = trials_.back();
  const auto& seen = probe.lateness;
  ++trial.probes;
  trial.late += seen.late;
  trial.n += seen.n;
  trial.worth_late += static_cast<double>(seen.late) / seen.design_effect;
  trial.worth_n += static_cast<double>(seen.n) / seen.design_effect;
  trial.holds = judge(trial);
  if (trial.holds == Holds::not_shown && trial.probes < rule_.most_probes) return;
  move_on(Trial(trial));
}

Holds RateSearch::judge(const Trial& trial) const {
  const auto n = std::llround(trial.worth_n);
  const auto late = std::min(n, std::llround(std::ceil(trial.worth_late)));
  const double allowed = 1 - promise_.q;
  if (stats::chance_of_at_most(late, n, allowed) <= doubt()) return Holds::yes;
  if (stats::chance_of_at_least(late, n, allowed) <= doubt()) return Holds::no;
  return Holds::not_shown;
}

void RateSearch::move_on(const Trial& trial) {
  const bool holds = trial.holds == Holds::yes;
  if (!holds && (!broken_ || trial.rate_per_s < *broken_)) broken_ = trial.rate_per_s;
  if (confirming_) {
    if (holds) {
      held_ = trial.rate_per_s;
      over_ = true;
      return;
    }
    return go_to(trial.rate_per_s / (1 + rule_.closeness));
  }
  if (holds) candidate_ = std::max(candidate_.value_or(0), trial.rate_per_s);
  if (!broken_) return go_to(2 * trial.rate_per_s);
  if (!candidate_ || *candidate_ >= *broken_) return go_to(*broken_ / 2);
  if (*broken_ > (1 + rule_.closeness) * *candidate_) return go_to(std::sqrt(*candidate_ * *broken_));
  confirming_ = true;
  go_to(*candidate_);
}

std::string RateSearch::words_of(const Trial& trial) {
  return fmt::format("{}/s {} ({} of {} late)", format_number(trial.rate_per_s), enum_name(trial.holds),
                     trial.late, trial.n);
}

std::string RateSearch::story() const {
  std::string story;
  for (const auto& trial : trials_)
    if (trial.probes > 0) story += (story.empty() ? "" : ", ") + words_of(trial);
  return story;
}

std::string RateSearch::verdict() const {
  const auto probed =
      std::find_if(trials_.rbegin(), trials_.rend(), [](const Trial& trial) { return trial.probes > 0; });
  return probed == trials_.rend() ? std::string() : words_of(*probed);
}

std::int64_t RateSearch::requests_needed() const {
  const double allowed = 1 - promise_.q;
  std::int64_t n = 16;
  while (stats::chance_of_at_most(std::llround(std::ceil(static_cast<double>(n) * allowed / 4)), n, allowed) >
         doubt())
    n += n / 8;
  return n;
}

}  // namespace neph::load
