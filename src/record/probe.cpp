#include "record/probe.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/percentile.hpp"
#include "core/units.hpp"

namespace neph {
namespace {

/// The lowest rate above `above` with that outcome; nullptr: none.
const Probe* lowest(const std::vector<Probe>& probes, Slo outcome, double above) {
  const Probe* found = nullptr;
  for (const auto& probe : probes)
    if (probe.outcome == outcome && probe.rate_per_s > above &&
        (!found || probe.rate_per_s < found->rate_per_s))
      found = &probe;
  return found;
}

/// "3 of 320 late", and what would tell; empty where nothing was counted.
std::string late_words(const Probe& probe) {
  std::string words;
  if (probe.requests > 0) words = fmt::format("{} of {} late", probe.late, probe.requests);
  return probe.undecided.empty() ? words : fmt::format("{}; {}", words, probe.undecided);
}

std::string percentile_words(const Probe& probe) {
  const auto& time = probe.response_ms;
  if (!std::isfinite(time.value)) return {};
  if (const auto why = why_not_shown(probe.percentile / 100, time); !why.empty())
    return fmt::format(", p{:g} {}", probe.percentile, why);
  return fmt::format(", p{:g} {} ms ({} to {})", probe.percentile, format_number(time.value),
                     format_number(*time.low), format_number(*time.high));
}

std::string rate_words(const Probe& probe, std::string_view unit = {}) {
  auto words = fmt::format("{} at {}{}", enum_name(probe.outcome), format_number(probe.rate_per_s), unit);
  if (const auto late = late_words(probe); probe.outcome == Slo::inconclusive && !late.empty())
    words += fmt::format(" ({})", late);
  return words;
}

/// A fresh one counts for more than a higher rate that was lucky.
const Probe* highest_met(const std::vector<Probe>& probes) {
  const auto* violated = lowest(probes, Slo::violated, 0);
  const Probe* best = nullptr;
  for (const auto& probe : probes)
    if (probe.outcome == Slo::met && (!violated || probe.rate_per_s < violated->rate_per_s) &&
        (!best || probe.is_fresh > best->is_fresh ||
         (probe.is_fresh == best->is_fresh && probe.rate_per_s > best->rate_per_s)))
      best = &probe;
  return best;
}

}  // namespace

std::string probe_words(const Probe& probe) {
  const auto undecided = probe.undecided.empty() ? "" : "; " + probe.undecided;
  return fmt::format("{}/s {} ({} of {} late{}{})", format_number(probe.rate_per_s), enum_name(probe.outcome),
                     probe.late, probe.requests, percentile_words(probe), undecided);
}

std::string slo_words(const std::vector<Probe>& probes) {
  if (probes.empty()) return {};
  const auto* met = highest_met(probes);
  const auto* violated = lowest(probes, Slo::violated, 0);
  const auto* inconclusive = lowest(probes, Slo::inconclusive, met ? met->rate_per_s : 0);
  if (violated && inconclusive && inconclusive->rate_per_s >= violated->rate_per_s) inconclusive = nullptr;
  auto words = met ? rate_words(*met, " requests/s") : std::string("met at no rate tried");
  for (const auto* probe : {inconclusive, violated})
    if (probe) words += "; " + rate_words(*probe, met ? "" : " requests/s");
  return words;
}

std::string search_words(const std::vector<Probe>& probes) {
  const auto* met = highest_met(probes);
  return slo_words(probes) + (met && !met->is_fresh ? "; not confirmed by a fresh probe" : "");
}

}  // namespace neph
