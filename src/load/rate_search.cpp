#include "load/rate_search.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

/// More requests than this would take too long to be worth naming: the share is too close to what is allowed.
constexpr double most_to_tell = 1e6;
constexpr double step_to_tell = 1.02;

}  // namespace

RateSearch::RateSearch(const Promise& promise, const SearchRule& rule) : promise_(promise), rule_(rule) {
  go_to(std::max(rule.start_per_s, rule.lowest_per_s));
}

void RateSearch::go_to(double rate_per_s, bool is_fresh) {
  if (rates_ >= rule_.most_rates || rate_per_s < rule_.lowest_per_s) {
    over_ = true;
    return;
  }
  ++rates_;
  rate_ = rate_per_s;
  trial_ = {.probe = {.rate_per_s = rate_per_s, .is_fresh = is_fresh, .percentile = 100 * promise_.q}};
}

void RateSearch::learn(const Lateness& seen, std::span<const double> response_ms) {
  auto& probe = trial_.probe;
  if (probe.measurements > 0) probes_.pop_back();  // all that is known of the rate stands there once
  ++probe.measurements;
  probe.late += seen.late;
  probe.requests += seen.n;
  trial_.worth_late += static_cast<double>(seen.late) / seen.design_effect;
  trial_.worth_n += static_cast<double>(seen.n) / seen.design_effect;
  trial_.response_ms.insert(trial_.response_ms.end(), response_ms.begin(), response_ms.end());
  probe.response_ms = stats::quantile_in_sequence(trial_.response_ms, promise_.q);
  probe.outcome = judge(trial_.worth_late, trial_.worth_n);
  explain(probe);
  probes_.push_back(probe);
  if (probe.outcome != Slo::inconclusive || probe.measurements >= rule_.most_measurements)
    move_on(probes_.back());
}

Slo RateSearch::judge(double late, double n) const { return stats::slo_of(late, n, allowed(), doubt()); }

bool RateSearch::is_broken_by(const Lateness& seen) const {
  return judge(static_cast<double>(seen.late) / seen.design_effect,
               static_cast<double>(seen.n) / seen.design_effect) == Slo::violated;
}

/// The share of late ones and the design effect are taken to stay.
std::int64_t RateSearch::requests_to_tell() const {
  if (trial_.worth_n <= 0) return 0;
  const double design_effect = static_cast<double>(trial_.probe.requests) / trial_.worth_n;
  const double share = trial_.worth_late / trial_.worth_n;
  for (double n = trial_.worth_n; n * design_effect <= most_to_tell; n = std::max(n + 1, n * step_to_tell))
    if (judge(share * n, n) != Slo::inconclusive) return std::llround(std::ceil(n * design_effect));
  return 0;
}

void RateSearch::explain(Probe& probe) const {
  const bool is_told = probe.outcome != Slo::inconclusive;
  probe.requests_to_tell = is_told ? 0 : requests_to_tell();
  if (is_told)
    probe.undecided.clear();
  else if (probe.requests_to_tell > 0)
    probe.undecided = fmt::format("{} requests would tell", probe.requests_to_tell);
  else
    probe.undecided = fmt::format("too close to the {} % allowed", format_number(100 * allowed()));
}

void RateSearch::move_on(const Probe& probe) {
  const double rate_per_s = probe.rate_per_s;
  const bool holds = probe.outcome == Slo::met;
  if (!holds) ceiling_ = std::min(ceiling_.value_or(rate_per_s), rate_per_s);
  if (probe.outcome == Slo::violated) violated_ = std::min(violated_.value_or(rate_per_s), rate_per_s);
  if (probe.is_fresh) {
    if (!holds) return go_to(rate_per_s / (1 + rule_.closeness), true);
    held_ = rate_per_s;
    over_ = true;
    return;
  }
  if (holds) candidate_ = std::max(candidate_.value_or(0), rate_per_s);
  if (!ceiling_) return go_to(2 * rate_per_s);
  if (!candidate_ || *candidate_ >= *ceiling_) return go_to(*ceiling_ / 2);
  if (*ceiling_ > (1 + rule_.closeness) * *candidate_) return go_to(std::sqrt(*candidate_ * *ceiling_));
  go_to(*candidate_, true);
}

std::optional<double> RateSearch::met_then_violated() const {
  std::optional<double> highest;
  for (auto first = probes_.begin(); first != probes_.end(); ++first) {
    if (first->outcome != Slo::met) continue;
    const bool is_contradicted = std::any_of(first + 1, probes_.end(), [&](const Probe& later) {
      return later.outcome == Slo::violated && later.rate_per_s <= first->rate_per_s;
    });
    if (is_contradicted) highest = std::max(highest.value_or(0), first->rate_per_s);
  }
  return highest;
}

std::int64_t RateSearch::requests_needed() const {
  std::int64_t n = 16;
  while (judge(static_cast<double>(n) * allowed() / 4, static_cast<double>(n)) != Slo::met) n += n / 8;
  return n;
}

/// Of a rate that is not enclosed yet, the next one encloses it within a factor of two.
int RateSearch::least_left() const {
  if (over_) return 0;
  if (trial_.probe.is_fresh) return 1;
  const bool is_enclosed = candidate_ && ceiling_ && *candidate_ < *ceiling_;
  const double apart = is_enclosed ? *ceiling_ / *candidate_ : 2;
  const double halvings = std::ceil(std::log2(std::log(apart) / std::log1p(rule_.closeness)));
  return static_cast<int>(std::max(0.0, halvings)) + (is_enclosed ? 1 : 2);
}

}  // namespace neph::load
