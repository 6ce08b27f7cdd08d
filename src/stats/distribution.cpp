#include "stats/distribution.hpp"

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

namespace neph::stats {
namespace {

namespace policies = boost::math::policies;
/// Bad arguments give NaN or infinity instead of an exception.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;

}  // namespace

double normal_quantile(double p) { return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p, Quiet()); }

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double student_t_bound(double degrees) {
  // T^2 / (degrees + T^2) has a beta distribution (Abramowitz, Stegun 26.7.1).
  double rest = 0;  // 1 - x, kept apart: for many degrees x is near 0, for few it is near 1
  const double x = boost::math::ibeta_inv(0.5, degrees / 2, kConfidence, &rest, Quiet());
  return std::sqrt(degrees * x / rest);
}

double student_t_tail(double t, double degrees) {
  const boost::math::students_t_distribution<double, Quiet> distribution(degrees);
  return boost::math::cdf(boost::math::complement(distribution, t));
}

double student_t_lower(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t_distribution<double, Quiet>(degrees), p);
}

double t_test_power(double effect, std::int64_t n) {
  constexpr double plain = 1e3;  // errors that no test misses; Boost throws where they are very many
  const auto samples = static_cast<double>(n);
  const double bound = student_t_bound(samples - 1), shift = effect * std::sqrt(samples);
  if (shift > plain) return 1;
  const boost::math::non_central_t_distribution<double, Quiet> t(samples - 1, shift);
  return boost::math::cdf(boost::math::complement(t, bound)) + boost::math::cdf(t, -bound);
}

double f_tail(double f, double a, double b) {
  return boost::math::ibeta(b / 2, a / 2, b / (b + a * f), Quiet());  // Abramowitz, Stegun 26.6.2
}

double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return boost::math::ibetac(static_cast<double>(k + 1), static_cast<double>(n - k), p, Quiet());
}

}  // namespace neph::stats
