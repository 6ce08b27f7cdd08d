#include "stats/sequential.hpp"

#include <algorithm>
#include <cmath>

#include "stats/distribution.hpp"

namespace neph::stats {
namespace {

constexpr std::int64_t first_look = 5;
constexpr double power = 0.9;      ///< of the single test that the plan is measured by
constexpr double inflation = 1.3;  ///< for looking often, and for a spread that is known from the pairs alone
/// What is spent of a level. The rest covers that the plan follows the spread that is seen, and that
/// Student's t at many looks is nearly right only: with these, simulations come to the levels
/// (sequential_test.cpp).
constexpr double spent_share = 0.5;
constexpr double spent_at_once = 0.2;    ///< of that: else what is plain would wait for the plan's pairs
constexpr double of_later_stops = 0.99;  ///< confidence of Student's interval that holds with 95 % there
constexpr double equivalence_level = 0.05, spent_equivalence_share = 0.68;

/// The t whose p value is that of a limit of Z.
double t_limit(double z, double degrees) { return -student_t_lower(normal_cdf(-z), degrees); }

/// The fewest pairs of which a single t test has the power, at most `most`: near Guenther's number (Am.
/// Statist. 35, 1981).
std::int64_t pairs_of_one_test(double effect, std::int64_t most) {
  const double errors = normal_quantile((1 + kConfidence) / 2) + normal_quantile(power);
  auto pairs = static_cast<std::int64_t>(
      std::clamp(errors * errors / (effect * effect) + 2, 2.0, std::max(2.0, static_cast<double>(most))));
  while (pairs > 2 && t_test_power(effect, pairs - 1) >= power) --pairs;
  while (pairs < most && t_test_power(effect, pairs) < power) ++pairs;
  return pairs;
}

}  // namespace

std::int64_t pairs_planned(double threshold, double deviation, std::int64_t most) {
  if (!(deviation > 0)) return std::min(first_look, most);
  const auto one = static_cast<double>(pairs_of_one_test(std::log1p(threshold) / deviation, most));
  return std::clamp(static_cast<std::int64_t>(inflation * one), std::min(first_look, most), most);
}

PairsUntilDecided::PairsUntilDecided(double threshold, bool higher_is_better, double level, std::int64_t most)
    : threshold_(threshold),
      higher_is_better_(higher_is_better),
      most_(most),
      of_difference_(spent_share * level, spent_at_once),
      of_equivalence_(2 * spent_equivalence_share * equivalence_level),
      next_look_(std::min(first_look, most)) {}

void PairsUntilDecided::add(const Pair& pair) {
  if (is_over_) return;
  pairs_.push_back(pair);
  is_over_ = pairs_.size() > 1 && std::isnan(difference_of_pairs(pairs_).value);
  if (!is_over_ && pairs() >= next_look_) look();
}

/// By the spread about no difference or about the threshold, whichever is nearer: that about the mean is
/// least where t happens to be large, and would end the plan just then. Few pairs may agree by chance: hence
/// a little more.
std::int64_t PairsUntilDecided::plan(const Difference& seen) const {
  const double made = static_cast<double>(pairs()), threshold = std::log1p(threshold_);
  const double distance = std::abs(seen.value);
  const double from_nearest = std::min(distance, std::max(0.0, threshold - distance));
  const double variance =
      *seen.standard_error * *seen.standard_error * (made - 1) + from_nearest * from_nearest;
  return pairs_planned(threshold_, std::sqrt(variance) * (1 + 0.3 / (made - 1)), most_);
}

void PairsUntilDecided::look() {
  const auto seen = difference_of_pairs(pairs_);
  if (!seen.standard_error) return;
  const double error = *seen.standard_error, made = static_cast<double>(pairs());
  if (planned_ == 0) planned_ = std::max(pairs(), plan(seen));
  const double share = std::min(1.0, made / static_cast<double>(planned_));
  errors_ = t_limit(of_difference_.next(pairs(), share), seen.degrees);
  const double margin = t_limit(of_equivalence_.next(pairs(), share), seen.degrees);
  if (std::log1p(threshold_) - std::abs(seen.value) >= margin * error)
    outcome_ = Outcome::equivalent;
  else if (std::abs(seen.value) > errors_ * error)
    outcome_ = (seen.value > 0) == higher_is_better_ ? Outcome::better : Outcome::worse;
  is_over_ = outcome_ != Outcome::undecided || share >= 1;
  if (outcome_ != Outcome::undecided) {
    const double confidence = pairs() <= first_look ? kConfidence : of_later_stops;
    errors_ = std::min(errors_, -student_t_lower((1 - confidence) / 2, seen.degrees));
  }
  if (is_over_) return;
  planned_ = std::min(most_, std::max(pairs() + 1, plan(seen)));  // the last look follows an earlier plan
  next_look_ = std::min(planned_, std::max(pairs() + 1, static_cast<std::int64_t>(1.02 * made)));
}

Estimate PairsUntilDecided::ratio() const {
  const auto seen = difference_of_pairs(pairs_);
  Estimate ratio{.value = std::exp(seen.value), .n = seen.n};
  if (!seen.standard_error || errors_ == 0) return ratio;
  ratio.low = std::exp(seen.value - errors_ * *seen.standard_error);
  ratio.high = std::exp(seen.value + errors_ * *seen.standard_error);
  return ratio;
}

}  // namespace neph::stats
