// Every figure against NumPy and SciPy: some 900 random cases from reference.py, one start of Python.
#include <memory>

#include <gmock/gmock.h>

#include "core/python_cases_test.hpp"
#include "stats/distribution.hpp"
#include "stats/spending.hpp"
#include "stats/stats.hpp"

namespace neph::stats {
namespace {

using testing::ElementsAreArray;

class Reference : public testing::Test {
 protected:
  static void SetUpTestSuite() { cases_ = std::make_unique<ReferenceCases>("src/stats/reference.py"); }
  static void TearDownTestSuite() { cases_.reset(); }
  static std::vector<Json> cases(const std::string& kind, std::size_t expected) {
    return cases_->of(kind, expected);
  }

  static std::unique_ptr<ReferenceCases> cases_;
};
std::unique_ptr<ReferenceCases> Reference::cases_;

std::vector<double> numbers(const Json& json) { return json.get<std::vector<double>>(); }

/// Equal to 11 digits.
void expect_same(double actual, const Json& expected, const Json& in) {
  const double value = expected;
  EXPECT_NEAR(actual, value, 1e-11 * std::max(1.0, std::abs(value))) << in;
}

void expect_interval(const Estimate& estimate, const Json& low, const Json& high, const Json& in) {
  ASSERT_TRUE(estimate.low && estimate.high) << in;
  expect_same(*estimate.low, low, in);
  expect_same(*estimate.high, high, in);
}

TEST_F(Reference, Distributions) {
  for (const auto& in : cases("t_bound", 80)) {
    const double value = in["value"];
    EXPECT_NEAR(student_t_bound(in["degrees"]), value, 1e-10 * value) << in;
  }
  for (const auto& in : cases("binomial", 100))
    EXPECT_NEAR(binomial_cdf(in["k"], in["n"], in["p"]), in["value"].get<double>(), 1e-11) << in;
  for (const auto& in : cases("normal", 50)) {
    expect_same(normal_quantile(in["p"]), in["z"], in);
    expect_same(normal_cdf(in["z"]), in["p"], in);
  }
}

TEST_F(Reference, PowerOfTheTTest) {
  for (const auto& in : cases("power", 30))
    EXPECT_NEAR(t_test_power(in["effect"], in["n"]), in["value"].get<double>(), 1e-8) << in;
}

TEST_F(Reference, Quantiles) {
  int bounded = 0;
  for (const auto& in : cases("quantile", 200)) {
    const auto samples = numbers(in["samples"]);
    const auto estimate = quantile_estimate(samples, in["q"]);
    expect_same(estimate.value, in["value"], in);
    expect_same(median_absolute_deviation(samples), in["mad"], in);
    if (in["low"].is_null() || in["high"].is_null()) continue;  // SciPy never gives one tail more than 2.5 %
    expect_interval(estimate, in["low"], in["high"], in);
    ++bounded;
  }
  EXPECT_GT(bounded, 80);
}

TEST_F(Reference, QuantilesOverGroups) {
  for (const auto& in : cases("groups", 100)) {
    std::vector<std::vector<double>> groups;
    for (const auto& group : in["groups"]) groups.push_back(numbers(group));
    const auto estimate = quantile_over_groups(groups, in["q"]);
    expect_same(estimate.value, in["value"], in);
    expect_interval(estimate, in["low"], in["high"], in);
  }
}

TEST_F(Reference, Differences) {
  for (const auto& in : cases("difference", 60)) {
    const auto a = numbers(in["a"]), b = numbers(in["b"]), other = numbers(in["other"]);
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < a.size(); ++i) pairs.push_back({a[i], b[i]});
    const auto paired = difference_of_pairs(pairs), unpaired = difference(a, other);
    expect_same(p_no_difference(paired), in["paired_p"], in);
    expect_same(p_no_difference(unpaired), in["p"], in);
    expect_same(p_not_equivalent(paired, in["threshold"]), in["paired_tost"], in);
    expect_same(p_not_equivalent(unpaired, in["threshold"]), in["tost"], in);
  }
}

TEST_F(Reference, LimitsOfManyLooks) {
  for (const auto& in : cases("limits", 5)) {
    SpendingLimits limits(in["level"]);
    std::int64_t n = in["first"];
    for (const double expected : in["limits"]) {
      const double limit = limits.next(n, static_cast<double>(n) / in["planned"].get<double>());
      const double tolerance = expected < 6 ? 1e-6 : 2;  // beyond, what is spent is rounding
      EXPECT_NEAR(limit, expected, tolerance) << n << in;
      ++n;
    }
  }
}

TEST_F(Reference, AdjustedPValues) {
  for (const auto& in : cases("holm", 30)) {
    const auto adjusted = holm(numbers(in["p"]));
    for (std::size_t i = 0; i < adjusted.size(); ++i) expect_same(adjusted[i], in["adjusted"][i], in);
  }
}

TEST_F(Reference, Means) {
  for (const auto& in : cases("mean", 100)) {
    const auto mean = mean_of(numbers(in["samples"]));
    expect_same(mean.estimate.value, in["value"], in);
    expect_same(mean.standard_error.value(), in["error"], in);
    expect_interval(mean.estimate, in["low"], in["high"], in);
  }
}

TEST_F(Reference, Trends) {
  int bounded = 0;
  for (const auto& in : cases("trend", 100)) {
    const auto samples = numbers(in["samples"]);
    const auto trend = trend_of(samples);
    EXPECT_EQ(trend.score, in["score"]) << in;
    expect_same(trend.p_value, in["p_value"], in);
    expect_same(trend.slope.value, in["slope"], in);
    expect_same(lag1_autocorrelation(samples), in["lag1"], in);
    if (!trend.slope.low) continue;
    expect_interval(trend.slope, in["low"], in["high"], in);
    ++bounded;
  }
  EXPECT_GT(bounded, 80);
}

TEST_F(Reference, Outliers) {
  for (const auto& in : cases("outliers", 50)) {
    std::vector<std::size_t> any, severe;
    for (const auto& [index, kind] : outliers(numbers(in["samples"]))) {
      any.push_back(index);
      if (kind == OutlierKind::low_severe || kind == OutlierKind::high_severe) severe.push_back(index);
    }
    EXPECT_THAT(any, ElementsAreArray(in["any"].get<std::vector<std::size_t>>()));
    EXPECT_THAT(severe, ElementsAreArray(in["severe"].get<std::vector<std::size_t>>()));
  }
}

TEST_F(Reference, Comparisons) {
  for (const auto& in : cases("compare", 100)) {
    const auto baseline = numbers(in["baseline"]), candidate = numbers(in["candidate"]);
    const auto unpaired = compare(baseline, candidate, Better::higher).ratio;
    expect_same(unpaired.value, in["value"], in);
    expect_interval(unpaired, in["low"], in["high"], in);

    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < std::min(baseline.size(), candidate.size()); ++i)
      pairs.push_back({baseline[i], candidate[i]});
    const auto paired = compare_pairs(pairs, Better::higher).ratio;
    expect_same(paired.value, in["paired_value"], in);
    expect_interval(paired, in["paired_low"], in["paired_high"], in);
  }
}

}  // namespace
}  // namespace neph::stats
