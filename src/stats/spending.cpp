#include "stats/spending.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "stats/distribution.hpp"

namespace neph::stats {
namespace {

/// Of Gauss and Legendre, in panels: what follows a place spreads by a deviation of 1 or more.
using Quadrature = boost::math::quadrature::gauss<double, 20>;
constexpr double panel = 10;
constexpr double widest = 8;           ///< limit of |Z|; beyond lies 1e-15
constexpr double least_spent = 1e-12;  ///< at a look; less is kept for a later one

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

double spendable(double level, double share) {
  return 4 * normal_cdf(normal_quantile(level / 4) / std::sqrt(std::min(1.0, share)));
}

}  // namespace

/// That a path that has crossed none ends at or beyond `limit`, either way, after a step of that deviation.
double SpendingLimits::crossing(double limit, double step) const {
  double sum = 0;
  for (std::size_t i = 0; i < places_.size(); ++i)
    sum += masses_[i] * (normal_cdf((places_[i] - limit) / step) + normal_cdf((-limit - places_[i]) / step));
  return 2 * sum;
}

double SpendingLimits::density_at(double place, double step) const {
  double sum = 0;
  for (std::size_t i = 0; i < places_.size(); ++i)
    sum += masses_[i] * (density((place - places_[i]) / step) + density((place + places_[i]) / step));
  return sum / step;
}

void SpendingLimits::advance(double limit, double step) {
  std::vector<double> places, masses;
  const double half = limit / std::ceil(limit / panel) / 2;
  for (double middle = half; middle < limit; middle += 2 * half)
    for (std::size_t i = 0; i < Quadrature::abscissa().size(); ++i)
      for (const double side : {-half, half}) {
        places.push_back(middle + side * Quadrature::abscissa()[i]);
        masses.push_back(density_at(places.back(), step) * Quadrature::weights()[i] * half);
      }
  places_ = std::move(places);
  masses_ = std::move(masses);
}

double SpendingLimits::next(std::int64_t n, double share) {
  const double planned = spendable(level_, share) - spent_;
  const double increment = planned + (share < 1 ? at_once_ / 2 : at_once_);
  if (increment < least_spent) return widest;
  const double step = std::sqrt(static_cast<double>(n - n_)), scale = std::sqrt(static_cast<double>(n));
  // Newton's steps on the logarithm, which is concave: from the far side they never pass the limit.
  double limit = places_.back() + widest * step;
  for (double by = scale; by > 1e-9 * scale; limit -= by) {
    const double beyond = crossing(limit, step);
    by = std::log(increment / beyond) * beyond / (2 * density_at(limit, step));
  }
  spent_ += planned;
  at_once_ -= increment - planned;
  advance(limit, step);
  n_ = n;
  return limit / scale;
}

}  // namespace neph::stats
