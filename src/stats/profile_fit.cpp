#include "stats/profile_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "stats/distribution.hpp"
#include "stats/mean.hpp"

namespace neph::stats {
namespace {

constexpr int coarse_steps = 24, golden_steps = 40, bisections = 36, rays = 60;
constexpr double significant = 0.05;

/// What is left of the observations once the law and each block's level are taken away.
class Residuals {
 public:
  Residuals(std::span<const Observation> observations, const LogLaw& law) : all_(observations), law_(law) {
    for (const auto& one : all_) {
      xs_.try_emplace(one.x, xs_.size());
      blocks_.try_emplace(one.block, blocks_.size());
    }
    std::size_t next = 0;
    for (auto& [x, index] : xs_) index = next++;
    for (const auto& one : all_) at_.push_back({xs_[one.x], blocks_[one.block]});
  }

  std::size_t distinct() const { return xs_.size(); }
  std::size_t blocks() const { return blocks_.size(); }
  std::size_t size() const { return all_.size(); }

  /// Of each observation; `levels` are set to the blocks'.
  std::vector<double> of(const Theta& theta, std::vector<double>& levels) const {
    std::vector<double> shapes;
    for (const auto& [x, unused] : xs_) shapes.push_back(law_.shape(x, theta, law_.scale));
    std::vector<double> left(size());
    for (std::size_t i = 0; i < size(); ++i) left[i] = all_[i].log_y - shapes[at_[i].x];
    levels = take_means(left, &Index::block, blocks());
    return left;
  }

  double squares(const Theta& theta) const {
    std::vector<double> levels;
    return sum_of_squares(of(theta, levels));
  }

  /// What no function of x explains, whatever it is: each x has a level of its own too. Means are taken away
  /// in turns, which ends at the least squares whichever runs are missing.
  double pure_squares() const {
    std::vector<double> left;
    for (const auto& one : all_) left.push_back(one.log_y);
    double before = -1, now = sum_of_squares(left);
    for (int turn = 0; turn < 500 && std::abs(now - before) > 1e-14 * now; ++turn) {
      take_means(left, &Index::block, blocks());
      take_means(left, &Index::x, distinct());
      before = std::exchange(now, sum_of_squares(left));
    }
    return now;
  }

  double worst_mean(std::vector<double> left) const {
    double worst = 0;
    for (const double mean : take_means(left, &Index::x, distinct()))
      worst = std::max(worst, std::abs(std::expm1(mean)));
    return worst;
  }

  static double sum_of_squares(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return sum;
  }

 private:
  struct Index {
    std::size_t x, block;
  };

  std::vector<double> take_means(std::vector<double>& values, std::size_t Index::*group,
                                 std::size_t groups) const {
    std::vector<double> sums(groups), counts(groups);
    for (std::size_t i = 0; i < size(); ++i) {
      sums[at_[i].*group] += values[i];
      ++counts[at_[i].*group];
    }
    for (std::size_t i = 0; i < groups; ++i) sums[i] /= counts[i];
    for (std::size_t i = 0; i < size(); ++i) values[i] -= sums[at_[i].*group];
    return sums;
  }

  std::span<const Observation> all_;
  const LogLaw& law_;
  std::map<double, std::size_t> xs_;
  std::map<std::int64_t, std::size_t> blocks_;
  std::vector<Index> at_;
};

/// Where `function` is least between 0 and 1: the best of a coarse grid, then golden section around it.
double least_at(const auto& function) {
  double best = 0, least = function(0.0);
  for (int i = 1; i <= coarse_steps; ++i)
    if (const double at = static_cast<double>(i) / coarse_steps, value = function(at); value < least)
      best = at, least = value;
  const double grid = best;
  double low = std::max(0.0, best - 1.0 / coarse_steps), high = std::min(1.0, best + 1.0 / coarse_steps);
  constexpr double golden = 1 / std::numbers::phi;
  for (int i = 0; i < golden_steps; ++i) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    (function(left) <= function(right) ? high : low) = function(left) <= function(right) ? right : left;
  }
  best = (low + high) / 2;
  return function(best) < function(grid) ? best : grid;  // at an end the section only comes near it
}

Theta best_of(const Residuals& residuals, int parameters) {
  const auto inner = [&](double second) {
    return least_at([&](double first) { return residuals.squares({first, second}); });
  };
  const double second = parameters == 1 ? 0 : least_at([&](double at) {
    return residuals.squares({inner(at), at});
  });
  return {inner(second), second};
}

bool is_inside(const Theta& theta) {
  return std::ranges::all_of(theta, [](double value) { return value >= 0 && value <= 1; });
}

/// A direction of every ray, stretched as the sum of squares is flat, so that they end evenly spread.
std::vector<Theta> directions(const Residuals& residuals, const Theta& best, int parameters) {
  if (parameters == 1) return {{1, 0}, {-1, 0}};
  std::vector<double> levels, slopes[2];
  for (int k = 0; k < 2; ++k) {
    const double step = best[k] > 0.5 ? -1e-5 : 1e-5;
    auto moved = best;
    moved[k] += step;
    const auto from = residuals.of(best, levels), to = residuals.of(moved, levels);
    for (std::size_t i = 0; i < from.size(); ++i) slopes[k].push_back((to[i] - from[i]) / step);
  }
  double a = 0, b = 0, c = 0;  // Gauss and Newton's matrix (a b; b c)
  for (std::size_t i = 0; i < slopes[0].size(); ++i) {
    a += slopes[0][i] * slopes[0][i];
    b += slopes[0][i] * slopes[1][i];
    c += slopes[1][i] * slopes[1][i];
  }
  const double root = std::sqrt(std::max(a, 1e-12)), cross = b / root;
  const double rest = std::sqrt(std::max(c - cross * cross, 1e-12));
  std::vector<Theta> all{{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  for (int i = 0; i < rays; ++i) {
    const double angle = 2 * std::numbers::pi * i / rays, second = std::sin(angle) / rest;
    all.push_back({(std::cos(angle) - cross * second) / root, second});
  }
  return all;
}

/// Along a ray from the best to where the squares reach `most`, or a parameter its bound.
Theta end_of_ray(const Residuals& residuals, const Theta& best, const Theta& direction, double most) {
  const auto at = [&](double length) {
    return Theta{best[0] + length * direction[0], best[1] + length * direction[1]};
  };
  double inside = 0, outside = 2 / std::max(std::abs(direction[0]), std::abs(direction[1]));
  double bound = outside;
  for (int k = 0; k < 2; ++k)
    if (direction[k] != 0) bound = std::min(bound, ((direction[k] > 0 ? 1 : 0) - best[k]) / direction[k]);
  if (!(bound > 0)) return best;
  auto end = at(bound);
  for (double& value : end) value = std::clamp(value, 0.0, 1.0);
  if (residuals.squares(end) <= most) return end;
  outside = bound;
  for (int i = 0; i < bisections; ++i) {
    const double middle = (inside + outside) / 2;
    (residuals.squares(at(middle)) <= most ? inside : outside) = middle;
  }
  return is_inside(at(inside)) ? at(inside) : end;
}

/// Of what the intervals are made: a variance and its degrees of freedom.
struct Error {
  double squares = 0, degrees = 0;
};

Error judge(const Residuals& residuals, double squares, ProfileFit& fit) {
  const auto size = static_cast<double>(residuals.size()), blocks = static_cast<double>(residuals.blocks());
  const auto distinct = static_cast<double>(residuals.distinct());
  double bounded = 0;  // a parameter at its bound has not been free to follow the data
  for (int k = 0; k < fit.law.parameters; ++k) bounded += fit.best[k] <= 0 || fit.best[k] >= 1;
  const Error all{.squares = squares, .degrees = size - blocks - fit.law.parameters};
  const double pure_degrees = size - blocks - distinct + 1;
  const double misfit_degrees = distinct - 1 - fit.law.parameters + bounded;
  if (pure_degrees < 1 || misfit_degrees < 1) return all;
  const double pure = residuals.pure_squares(), misfit = std::max(0.0, squares - pure);
  constexpr double rounding = 1e-18;
  if (pure < rounding) {  // repeats that are the same: whatever the law misses, they do not explain
    fit.p_misfit = misfit > 1e6 * rounding ? 0 : 1;
    return fit.p_misfit < significant ? Error{misfit, misfit_degrees} : all;
  }
  fit.p_misfit = f_tail((misfit / misfit_degrees) / (pure / pure_degrees), misfit_degrees, pure_degrees);
  return fit.p_misfit < significant ? Error{misfit, misfit_degrees} : all;
}

}  // namespace

double ProfileFit::mean_shape(const Theta& theta) const {
  double sum = 0;
  for (const double x : xs) sum += law.shape(x, theta, law.scale);
  return sum / static_cast<double>(xs.size());
}

std::optional<ProfileFit> fit_profile(std::span<const Observation> observations, const LogLaw& law) {
  for (const auto& one : observations)
    if (!std::isfinite(one.x) || !std::isfinite(one.log_y)) return std::nullopt;
  const Residuals residuals(observations, law);
  if (residuals.distinct() < static_cast<std::size_t>(law.parameters) + 2 ||
      residuals.size() <= residuals.blocks() + static_cast<std::size_t>(law.parameters))
    return std::nullopt;
  ProfileFit fit{.law = law, .best = best_of(residuals, law.parameters)};
  fit.runs = static_cast<std::int64_t>(residuals.size());
  for (const auto& one : observations) fit.xs.push_back(one.x);
  std::vector<double> levels;
  const auto left = residuals.of(fit.best, levels);
  const double squares = Residuals::sum_of_squares(left);
  fit.log_level = mean_estimate(levels);
  fit.worst_miss = residuals.worst_mean(left);
  const auto error = judge(residuals, squares, fit);
  const double t = student_t_bound(error.degrees);
  const double most = squares + error.squares / error.degrees * t * t;
  fit.region = {fit.best};
  for (const auto& direction : directions(residuals, fit.best, law.parameters))
    fit.region.push_back(end_of_ray(residuals, fit.best, direction, most));
  return fit;
}

}  // namespace neph::stats
