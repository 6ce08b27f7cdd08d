#include "stats/quantile.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "stats/distribution.hpp"
#include "stats/order.hpp"

namespace neph::stats {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::Optional;

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// The share of `trials` in which the interval holds `truth`.
double coverage(int trials, double truth, const std::function<Estimate(int)>& trial) {
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    const auto estimate = trial(i);
    EXPECT_TRUE(estimate.low && estimate.high);
    EXPECT_LE(*estimate.low, estimate.value);
    EXPECT_GE(*estimate.high, estimate.value);
    held += *estimate.low <= truth && truth <= *estimate.high;
  }
  return static_cast<double>(held) / trials;
}

TEST(Quantile, RanksOfTheMedianAreThoseOfTheTables) {
  // Conover, Practical Nonparametric Statistics, and others: 95 % interval of the median.
  const std::vector<std::pair<std::int64_t, Ranks>> table{{6, {1, 6}},    {10, {2, 9}},   {15, {4, 12}},
                                                          {20, {6, 15}},  {25, {8, 18}},  {30, {10, 21}},
                                                          {50, {18, 33}}, {100, {40, 61}}};
  for (const auto& [n, expected] : table) {
    const auto ranks = quantile_ranks(n, 0.5);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low, expected.low) << n;
    EXPECT_EQ(ranks->high, expected.high) << n;
  }
}

TEST(Quantile, RanksCoverExactlyWhereTheRuleSaysTheyCan) {
  for (std::int64_t n = 1; n < 700; ++n)
    for (const double q : {0.01, 0.05, 0.1, 0.5, 0.75, 0.9, 0.99}) {
      const auto count = static_cast<double>(n);
      const bool possible = 1 - std::pow(q, count) - std::pow(1 - q, count) >= 0.95;
      const auto ranks = quantile_ranks(n, q);
      ASSERT_EQ(ranks.has_value(), possible) << n << " " << q;
      ASSERT_EQ(n >= samples_needed(q), possible) << n << " " << q;
      if (!ranks) continue;
      ASSERT_TRUE(1 <= ranks->low && ranks->low < ranks->high && ranks->high <= n);
      ASSERT_GE(binomial_cdf(ranks->high - 1, n, q) - binomial_cdf(ranks->low - 1, n, q), 0.95 - 1e-12);
    }
}

TEST(Quantile, SaysHowManySamplesItNeeds) {
  EXPECT_EQ(samples_needed(0.5), 6);
  EXPECT_EQ(samples_needed(0.9), 29);
  EXPECT_EQ(samples_needed(0.1), 29);
  EXPECT_EQ(samples_needed(0.99), 299);
  EXPECT_EQ(samples_needed(0.999), 2995);
  EXPECT_EQ(samples_needed(1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(samples_needed(kNan), std::numeric_limits<std::int64_t>::max());
}

TEST(Quantile, OfFewSamplesHasAValueButNoInterval) {
  const auto estimate = quantile_estimate(std::vector{3.0, 1.0, 2.0, 5.0, 4.0}, 0.5);
  EXPECT_EQ(estimate.value, 3);
  EXPECT_EQ(estimate.n, 5);
  EXPECT_FALSE(estimate.low);
  EXPECT_FALSE(estimate.high);
  const auto six = median_estimate(std::vector{3.0, 1.0, 2.0, 5.0, 4.0, 9.0});
  EXPECT_EQ(six.value, 3.5);
  EXPECT_THAT(six.low, Optional(1.0));
  EXPECT_THAT(six.high, Optional(9.0));
}

TEST(Quantile, IsUnknownForNothingAndForWhatIsNotANumber) {
  const std::vector<double> bad{1, 2, kNan, 4, 5, 6, 7};
  for (const auto& samples : {std::vector<double>{}, bad}) {
    EXPECT_TRUE(std::isnan(median(samples)));
    EXPECT_TRUE(std::isnan(median_absolute_deviation(samples)));
    const auto estimate = median_estimate(samples);
    EXPECT_TRUE(std::isnan(estimate.value));
    EXPECT_EQ(estimate.n, 0);
    EXPECT_FALSE(estimate.low);
    EXPECT_TRUE(std::isnan(quantile_over_groups(std::vector{samples, samples}, 0.5).value));
  }
  EXPECT_TRUE(std::isnan(quantile(std::vector{1.0, 2.0}, 1.5)));
  EXPECT_EQ(median_absolute_deviation(std::vector{1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0}), 1);
}

TEST(Quantile, IntervalHoldsTheTruthAsOftenAsItShould) {
  Random random(17);
  const auto exponential = [&](std::size_t n) {
    std::vector<double> samples(n);
    for (double& sample : samples) sample = -std::log1p(-random.uniform());
    return samples;
  };
  // 4,000 trials: one deviation is 0.003. The exact coverage of ranks 6 and 15 of 20 is 0.9586.
  EXPECT_NEAR(coverage(4000, std::log(2), [&](int) { return median_estimate(exponential(20)); }), 0.9586,
              0.01);
  // q^n = 0.0497 goes to the upper tail alone.
  EXPECT_NEAR(coverage(4000, std::log(100), [&](int) { return quantile_estimate(exponential(299), 0.99); }),
              0.9505, 0.011);
}

/// Log-normal samples of runs that differ: the pooled distribution is log-normal too.
struct Runs {
  std::size_t count = 5;
  double between = 0;  ///< deviation of the runs' logarithms
  double within = 0.1;
  std::size_t samples = 40;  ///< of each run

  std::vector<std::vector<double>> draw(Random& random) const {
    std::vector<std::vector<double>> groups(count, std::vector<double>(samples));
    for (auto& group : groups) {
      const double run = between * random.normal();
      for (double& sample : group) sample = std::exp(run + within * random.normal());
    }
    return groups;
  }
  double quantile(double q) const { return std::exp(normal_quantile(q) * std::hypot(between, within)); }
};

TEST(QuantileOverGroups, HoldsTheTruthWithFewRunsToo) {
  Random random(23);
  const auto held = [&](double q, const Runs& runs, int trials) {
    return coverage(trials, runs.quantile(q),
                    [&](int) { return quantile_over_groups(runs.draw(random), q); });
  };
  for (const std::size_t count : {2u, 3u, 5u, 10u, 20u}) {
    for (const double between : {0.0, 0.05, 0.2})
      EXPECT_THAT(held(0.5, {.count = count, .between = between}, 1000), AllOf(Ge(0.93), Le(0.995)))
          << count << " runs, deviation between them " << between;
    for (const double between : {0.0, 0.05}) {
      EXPECT_THAT(held(0.9, {.count = count, .between = between}, 1000), AllOf(Ge(0.925), Le(0.995)))
          << count << " runs, deviation between them " << between;
      EXPECT_GE(held(0.99, {.count = count, .between = between, .samples = 200}, 300), 0.90)
          << count << " runs, deviation between them " << between;
    }
  }
}

TEST(QuantileOverGroups, WeighsRunsOfDifferentLengthBySamples) {
  Random random(29);
  const Runs runs{.count = 6};
  const double held = coverage(1000, runs.quantile(0.9), [&](int) {
    auto groups = runs.draw(random);
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].resize(40 - 5 * i);
    return quantile_over_groups(groups, 0.9);
  });
  EXPECT_GE(held, 0.94);
}

TEST(QuantileOverGroups, IsWiderThanPretendingThatSamplesAreIndependent) {
  Random random(4);
  const auto groups = Runs{.between = 0.2, .within = 0.05}.draw(random);
  std::vector<double> pooled;
  for (const auto& group : groups) pooled.insert(pooled.end(), group.begin(), group.end());
  const auto naive = median_estimate(pooled), honest = quantile_over_groups(groups, 0.5);
  EXPECT_EQ(naive.value, honest.value);
  EXPECT_EQ(naive.n, honest.n);
  EXPECT_GT(*honest.high - *honest.low, 2 * (*naive.high - *naive.low));
}

TEST(QuantileOverGroups, OneGroupIsASampleAndTooFewSamplesCarryNothing) {
  Random random(8);
  auto groups = Runs{.count = 1}.draw(random);
  groups.emplace_back();
  const auto one = quantile_over_groups(groups, 0.5), expected = median_estimate(groups.front());
  EXPECT_EQ(one.low, expected.low);
  EXPECT_EQ(one.high, expected.high);
  EXPECT_FALSE(quantile_over_groups(Runs{.between = 0.1}.draw(random), 0.99).low);  // 200 samples, 299 needed
  EXPECT_TRUE(std::isnan(quantile_over_groups({}, 0.5).value));
}

/// Response times of requests at `rate` to one worker who takes `service_s` and, every five seconds, half a
/// second off, by Lindley's recursion; Poisson arrivals from a recorded seed; the first five seconds left
/// out.
std::vector<double> stay_in_queue(double rate, double service_s, double stall_s, double length_s,
                                  std::uint64_t seed) {
  Random random(seed);
  std::vector<double> stays;
  const double phase = 5 * random.uniform();
  double at = 0, free = 0, stall_at = phase;
  while (at < length_s + 5) {
    double begin = std::max(at, free);
    if (begin >= stall_at) {
      begin += stall_s;
      stall_at += 5;
    }
    free = begin + service_s;
    if (at >= 5) stays.push_back(free - at);
    at += -std::log1p(-random.uniform()) / rate;
  }
  return stays;
}

/// How often the intervals of runs of 30 s hold the quantiles of a run of ten hours.
std::vector<double> coverage_in_queue(double rate, double service_s, double stall_s,
                                      const std::vector<double>& qs) {
  std::vector<double> truth, covered(qs.size(), 0.0);
  const auto long_run = sorted(stay_in_queue(rate, service_s, stall_s, 36000, 1));
  for (const double q : qs) truth.push_back(quantile_of_sorted(long_run, q));
  constexpr int runs = 150;
  for (int run = 0; run < runs; ++run) {
    const auto stays = stay_in_queue(rate, service_s, stall_s, 30, 100 + run);
    for (std::size_t i = 0; i < qs.size(); ++i) {
      const auto estimate = quantile_in_sequence(stays, qs[i]);
      covered[i] += (estimate.low && *estimate.low <= truth[i] && truth[i] <= *estimate.high) / double{runs};
    }
  }
  return covered;
}

TEST(QuantileInSequence, CoversTheTruthOfAQueueWhereIndependentSamplesWouldNot) {
  const std::vector<double> qs{0.5, 0.9, 0.99};
  EXPECT_THAT(coverage_in_queue(60, 0.010, 0, qs), Each(Ge(0.9)));
  EXPECT_THAT(coverage_in_queue(60, 0.010, 0.5, qs), Each(Ge(0.9)));
  EXPECT_THAT(coverage_in_queue(120, 0.005, 0.5, qs), Each(Ge(0.9)));
}

TEST(QuantileInSequence, IsNeverNarrowerThanThatOfIndependentSamples) {
  const auto stays = stay_in_queue(60, 0.010, 0.5, 30, 7);
  for (const double q : {0.5, 0.9, 0.99}) {
    const auto alone = quantile_estimate(stays, q), in_sequence = quantile_in_sequence(stays, q);
    EXPECT_EQ(alone.value, in_sequence.value);
    EXPECT_LE(*in_sequence.low, *alone.low);
    EXPECT_GE(*in_sequence.high, *alone.high);
  }
  EXPECT_FALSE(quantile_in_sequence(std::vector<double>(100, 1.0), 0.99).low);
}

}  // namespace
}  // namespace neph::stats
