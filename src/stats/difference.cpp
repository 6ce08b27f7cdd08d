#include "stats/difference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/distribution.hpp"
#include "stats/mean.hpp"

namespace neph::stats {
namespace {

constexpr double level = 0.05;

/// Not finite where a value is not positive, which makes the mean over it unknown.
std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

/// Of a mean on the logarithmic scale.
struct LogMean {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> standard_error;
  std::int64_t n = 0;
};

LogMean log_mean(std::span<const double> values) {
  const auto mean = mean_of(logarithms(values));
  return {mean.estimate.value, mean.standard_error, mean.estimate.n};
}

/// By the upper half of the interval: the lower one may have been cut at 0.
LogMean log_mean(const Estimate& estimate) {
  LogMean mean{.value = std::log(estimate.value), .n = estimate.n};
  if (!std::isfinite(mean.value)) return {};
  if (estimate.low && estimate.high && estimate.n > 1)
    mean.standard_error = (*estimate.high - estimate.value) / student_errors(estimate.n) / estimate.value;
  return mean;
}

/// Welch and Satterthwaite's, of variances a and b of the means.
double welch_degrees(double a, double a_degrees, double b, double b_degrees) {
  if (a + b == 0) return a_degrees + b_degrees;
  return (a + b) * (a + b) / (a * a / a_degrees + b * b / b_degrees);
}

Difference between(const LogMean& from, const LogMean& to) {
  if (from.n == 0 || to.n == 0) return {};
  Difference difference{.value = to.value - from.value, .n = from.n + to.n};
  if (!from.standard_error || !to.standard_error) return difference;
  const double a = *from.standard_error * *from.standard_error, b = *to.standard_error * *to.standard_error;
  difference.standard_error = std::sqrt(a + b);
  difference.degrees = welch_degrees(a, static_cast<double>(from.n - 1), b, static_cast<double>(to.n - 1));
  return difference;
}

bool are_zero(std::span<const double> values) {
  return !values.empty() && std::ranges::all_of(values, [](double value) { return value == 0; });
}

/// Of sides that never were anything but 0: they do not differ.
Difference no_difference(std::int64_t n) {
  return {
      .value = 0, .standard_error = 0, .degrees = std::max<double>(1, static_cast<double>(n) - 2), .n = n};
}

bool is_known(const Difference& difference) {
  return std::isfinite(difference.value) && difference.standard_error.has_value();
}

/// P(T > t); where there is no spread: whether it lies beyond.
double tail(double distance, const Difference& difference) {
  const double error = *difference.standard_error;
  if (error == 0) return distance > 0 ? 0 : 1;
  return student_t_tail(distance / error, difference.degrees);
}

/// Of a difference known from so many pairs, or runs of each side, were the spread what was seen.
double error_with(const Difference& seen, bool is_paired, std::int64_t n) {
  const double now = is_paired ? static_cast<double>(seen.n) : static_cast<double>(seen.n) / 2;
  return *seen.standard_error * std::sqrt(now / static_cast<double>(n));
}

}  // namespace

Difference difference_of_pairs(std::span<const Pair> pairs) {
  const auto is_zero = [](const Pair& pair) { return pair.baseline == 0 && pair.candidate == 0; };
  if (pairs.size() > 1 && std::ranges::all_of(pairs, is_zero)) return no_difference(std::ssize(pairs));
  std::vector<double> logs;
  logs.reserve(pairs.size());
  for (const auto& [baseline, candidate] : pairs) logs.push_back(std::log(candidate) - std::log(baseline));
  const auto mean = mean_of(logs);
  return {.value = mean.estimate.value,
          .standard_error = mean.standard_error,
          .degrees = static_cast<double>(mean.estimate.n - 1),
          .n = mean.estimate.n};
}

Difference difference(std::span<const double> baseline, std::span<const double> candidate) {
  if (are_zero(baseline) && are_zero(candidate))
    return no_difference(std::ssize(baseline) + std::ssize(candidate));
  return between(log_mean(baseline), log_mean(candidate));
}

Difference difference(const Estimate& baseline, const Estimate& candidate) {
  return between(log_mean(baseline), log_mean(candidate));
}

Estimate ratio_of(const Difference& difference, double confidence) {
  Estimate ratio{.value = std::exp(difference.value), .n = difference.n};
  if (!is_known(difference)) return ratio;
  const double errors = -student_t_lower((1 - confidence) / 2, difference.degrees);
  const double half = *difference.standard_error > 0 ? errors * *difference.standard_error : 0;
  ratio.low = std::exp(difference.value - half);
  ratio.high = std::exp(difference.value + half);
  return ratio;
}

double p_no_difference(const Difference& difference) {
  if (!is_known(difference)) return std::numeric_limits<double>::quiet_NaN();
  return std::min(1.0, 2 * tail(std::abs(difference.value), difference));
}

double p_not_equivalent(const Difference& difference, double threshold) {
  if (!is_known(difference)) return std::numeric_limits<double>::quiet_NaN();
  return tail(std::log1p(threshold) - std::abs(difference.value), difference);
}

double smallest_effect(const Difference& difference, double of_difference) {
  if (!is_known(difference)) return std::numeric_limits<double>::quiet_NaN();
  const double errors = -student_t_lower(of_difference / 2, difference.degrees) -
                        student_t_lower(1 - kPower, difference.degrees);
  return std::expm1(errors * *difference.standard_error);
}

std::optional<std::int64_t> number_to_decide(const Difference& seen, const Question& question,
                                             std::int64_t most) {
  if (!is_known(seen)) return std::nullopt;
  const double distance = std::abs(seen.value), margin = std::log1p(question.threshold) - distance;
  const auto known = question.is_paired ? seen.n : seen.n / 2;
  for (auto n = std::max<std::int64_t>(3, known + 1); n <= most; ++n) {
    const double degrees = static_cast<double>(question.is_paired ? n - 1 : 2 * (n - 1));
    const double power = -student_t_lower(1 - kPower, degrees),
                 error = error_with(seen, question.is_paired, n);
    const bool is_shown = distance > (power - student_t_lower(question.level / 2, degrees)) * error;
    const bool is_equivalent = margin > (power - student_t_lower(level, degrees)) * error;
    if (is_shown || is_equivalent) return n;
  }
  return std::nullopt;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return std::isnan(p[i]); });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size(), std::numeric_limits<double>::quiet_NaN());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

Outcome judge(const Difference& difference, double p, double threshold, bool higher_is_better) {
  if (p_not_equivalent(difference, threshold) <= level) return Outcome::equivalent;
  if (!(p <= level)) return Outcome::undecided;
  return (difference.value > 0) == higher_is_better ? Outcome::better : Outcome::worse;
}

}  // namespace neph::stats
