#include "stats/scaling_laws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace neph::stats {
namespace {

constexpr double nearly_one = 1 - 1e-12;

/// 0 .. 1 to 0 .. infinity.
double odds(double share) { return std::min(share, nearly_one) / (1 - std::min(share, nearly_one)); }

double kappa_of(const Theta& theta, double scale) { return scale * odds(theta[1]); }

double slowdown(double cores, double sigma, double kappa) {
  return (1 + sigma * (cores - 1) + kappa * cores * (cores - 1)) / cores;
}

double amdahl(double cores, const Theta& theta, double) { return std::log(slowdown(cores, theta[0], 0)); }

double universal(double cores, const Theta& theta, double scale) {
  return std::log(slowdown(cores, theta[0], kappa_of(theta, scale)));
}

double fixed_and_growing(double x, const Theta& theta, double scale) {
  return std::log(scale * odds(theta[0]) + x);
}

std::optional<std::vector<Observation>> logarithms(std::span<const RunTime> runs) {
  std::vector<Observation> all;
  for (const auto& run : runs) {
    if (!(run.x > 0) || !(run.time > 0)) return std::nullopt;
    all.push_back({.x = run.x, .log_y = std::log(run.time), .block = run.block});
  }
  return all;
}

std::vector<double> distinct(std::span<const RunTime> runs) {
  std::vector<double> xs;
  for (const auto& run : runs) xs.push_back(run.x);
  std::ranges::sort(xs);
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  return xs;
}

}  // namespace

Estimate ScalingFit::serial() const {
  return fit_.of([](const Theta& theta) { return theta[0]; });
}

Estimate ScalingFit::crosstalk() const {
  if (law_ == ScalingLaw::amdahl) return {.value = 0, .low = 0, .high = 0, .n = fit_.runs};
  return fit_.of([&](const Theta& theta) { return kappa_of(theta, fit_.law.scale); });
}

Estimate ScalingFit::fastest_at() const {
  auto cores = fit_.of([&](const Theta& theta) {
    const double kappa = law_ == ScalingLaw::amdahl ? 0 : kappa_of(theta, fit_.law.scale);
    return kappa > 0 ? std::max(1.0, std::sqrt((1 - theta[0]) / kappa))
                     : std::numeric_limits<double>::infinity();
  });
  if (cores.high && std::isinf(*cores.high)) cores.high.reset();
  return cores;
}

Estimate ScalingFit::half_used_at() const {
  auto cores = fit_.of([&](const Theta& theta) {
    // (n - 1) (sigma + kappa n) = 1
    const double kappa = law_ == ScalingLaw::amdahl ? 0 : kappa_of(theta, fit_.law.scale);
    const double b = theta[0] - kappa;
    return 2 * (1 + theta[0]) / (b + std::sqrt(b * b + 4 * kappa * (1 + theta[0])));
  });
  if (cores.high && std::isinf(*cores.high)) cores.high.reset();
  return cores;
}

Estimate ScalingFit::time_at(double cores) const {
  // The level and the parameters are known apart only at the mean of what was measured: there the curve is
  // held, by its level, and from there the parameters bend it.
  const auto bend = fit_.of([&](const Theta& theta) {
    return fit_.law.shape(cores, theta, fit_.law.scale) - fit_.mean_shape(theta);
  });
  const double value = fit_.log_level.value + fit_.mean_shape(fit_.best) + bend.value;
  if (!fit_.log_level.low) return {.value = std::exp(value), .low = {}, .high = {}, .n = fit_.runs};
  const double half = fit_.log_level.value - *fit_.log_level.low;
  return {.value = std::exp(value),
          .low = std::exp(value - std::hypot(bend.value - *bend.low, half)),
          .high = std::exp(value + std::hypot(*bend.high - bend.value, half)),
          .n = fit_.runs};
}

Estimate ScalingFit::speedup_at(double cores) const {
  return fit_.of([&](const Theta& theta) { return std::exp(-fit_.law.shape(cores, theta, fit_.law.scale)); });
}

bool ScalingFit::describes() const { return !(fit_.p_misfit < 0.05) || fit_.worst_miss < described_within; }

std::optional<ScalingFit> fit_scaling(std::span<const RunTime> runs, ScalingLaw law) {
  const auto cores = distinct(runs);
  const auto observations = logarithms(runs);
  if (!observations || cores.size() < fewest_core_counts) return std::nullopt;
  const bool is_amdahl = law == ScalingLaw::amdahl;
  auto fit = fit_profile(*observations, {.parameters = is_amdahl ? 1 : 2,
                                         .shape = is_amdahl ? amdahl : universal,
                                         .scale = 1 / (cores.back() * cores.back())});
  if (!fit) return std::nullopt;
  return ScalingFit(law, *std::move(fit), cores.front(), cores.back());
}

std::optional<FixedCost> fixed_cost_at(std::span<const RunTime> runs, double x) {
  const auto observations = logarithms(runs);
  if (!observations || !(x > 0)) return std::nullopt;
  const auto xs = distinct(runs);
  if (xs.size() < 3) return std::nullopt;
  const double scale = std::sqrt(xs.front() * xs.back());
  const auto fit = fit_profile(*observations, {.parameters = 1, .shape = fixed_and_growing, .scale = scale});
  if (!fit) return std::nullopt;
  const auto share = fit->of([&](const Theta& theta) {
    const double fixed = scale * odds(theta[0]);
    return fixed / (fixed + x);
  });
  return FixedCost{.share = share, .p_misfit = fit->p_misfit, .worst_miss = fit->worst_miss};
}

}  // namespace neph::stats
