// Probabilities against what can be computed without drawing.
#include <cmath>
#include <numbers>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advise.hpp"
#include "advise/market_test.hpp"

namespace neph::advise {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr double z95 = 1.959963984540054;
constexpr double sure = 0.02;  ///< four standard errors of a share of 10,000 draws

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2)) / 2; }

/// P(T <= t) of Student's t of 4 degrees of freedom.
double student_4_cdf(double t) {
  const double square = t * t / (1 + t * t / 4);
  return 0.5 + 3. / 8 * (t / std::sqrt(1 + t * t / 4)) * (1 - square / 12);
}

/// The deviation of the logarithm that an interval of a factor either way has.
double sigma_of(double spread) { return std::log(spread) / z95; }

const std::vector<price::Offer> one{machine("m", 64, "1")};

TEST(Chances, OfADeadlineAreThoseOfTheLogNormal) {
  for (const double deadline : {800.0, 950.0, 1000.0, 1100.0, 1500.0}) {
    auto request = asked();
    request.deadline_s = deadline;
    auto faster = takes("faster", 1, 100);  // so that something keeps to it
    const auto advice = advise(std::vector{takes("x", 1, 1000, 1.25), faster}, one, request).value();
    EXPECT_NEAR(*candidate_of(advice, "x").p_deadline, normal_cdf(std::log(deadline / 1000) / sigma_of(1.25)),
                sure)
        << deadline;
  }
}

TEST(Chances, OfADeadlineLeaveTimeForWhatIsAssumed) {
  auto request = asked();
  request.assumed = price::usual_assumptions();
  request.deadline_s = 340 + 1100;
  const auto advice = advise(std::vector{takes("x", 1, 1000, 1.25)}, one, request).value();
  // The 340 s may be half or twice as long: the mean over their quantiles.
  double share = 0;
  constexpr int parts = 2000;
  for (int i = 0; i < parts; ++i) {
    double low = -6, high = 6;
    for (int step = 0; step < 50; ++step) {
      const double middle = (low + high) / 2;
      (normal_cdf(middle) < (i + 0.5) / parts ? low : high) = middle;
    }
    const double left = 1440 - 340 * std::exp(sigma_of(2) * low);
    share += left > 0 ? normal_cdf(std::log(left / 1000) / sigma_of(1.25)) / parts : 0;
  }
  EXPECT_NEAR(*recommended(advice).p_deadline, share, sure);
  EXPECT_LT(share, normal_cdf(std::log(1.1) / sigma_of(1.25)) - sure) << "as if it were known";
}

TEST(Chances, OfADeadlineAreOfOneMoreRunAndNotOfTheMean) {
  auto request = asked();
  request.deadline_s = 1100;
  auto measured = takes("x", 1, 1000, 1.1);
  measured.repeats = 8;
  const auto advice = advise(std::vector{measured}, one, request).value();
  constexpr double student = 0.7717;  // P(T <= 1.9600 / 3 * 2.3646 / 1.9600) of 7 degrees
  EXPECT_NEAR(*recommended(advice).p_deadline, student, sure);
}

TEST(Chances, OfTwoRunsAreTooFewForCertainty) {
  auto slow = takes("slow", 1, 1200, 1.05), fast = takes("fast", 1, 1000, 1.05);
  const auto p_of = [&] {
    return *candidate_of(advise(std::vector{slow, fast}, one, asked()).value(), "fast").p_cheapest;
  };
  EXPECT_GT(p_of(), 0.999) << "where it is not told how many runs there were";
  slow.repeats = fast.repeats = 2;
  // Two of Cauchy's, each with the deviation log(1.05) / 12.706: their difference is Cauchy with twice that.
  const double cauchy = 0.5 + std::atan(std::log(1.2) / (2 * std::log(1.05) / 12.706)) / std::numbers::pi;
  EXPECT_NEAR(p_of(), cauchy, sure / 2);
}

TEST(Chances, OfBeingTheCheapestAreThoseOfARatio) {
  // The logarithm of a ratio of two log-normal times is normal; both cost a dollar an hour.
  const auto advice =
      advise(std::vector{takes("a", 1, 1000, 1.2), takes("b", 1, 1050, 1.3)}, one, asked()).value();
  const double sigma = std::hypot(sigma_of(1.2), sigma_of(1.3));
  EXPECT_NEAR(*candidate_of(advice, "a").p_cheapest, normal_cdf(std::log(1.05) / sigma), sure);
  EXPECT_NEAR(*candidate_of(advice, "a").p_cheapest + *candidate_of(advice, "b").p_cheapest, 1, 1e-9);
  EXPECT_NEAR(*candidate_of(advice, "a").p_fastest, *candidate_of(advice, "a").p_cheapest, 1e-9)
      << "time is money here";
}

TEST(Chances, OfThreeAlikeAreAThirdEach) {
  const std::vector three{takes("a", 1, 1000, 1.2), takes("b", 1, 1000, 1.2), takes("c", 1, 1000, 1.2)};
  const auto advice = advise(three, one, asked()).value();
  for (const auto& candidate : advice.candidates) EXPECT_NEAR(*candidate.p_cheapest, 1. / 3, sure);
}

TEST(Chances, KnowThatATimeIsTheSameOnEveryOffer) {
  // Drawn apart, the dearer would win about half of the draws.
  const std::vector offers{machine("m", 64, "1"), machine("n", 64, "1.001", "", 0, "per-second")};
  const auto advice = advise(std::vector{takes("a", 1, 1000.5, 1.2)}, offers, asked()).value();
  ASSERT_EQ(advice.candidates.size(), 2u);
  EXPECT_GT(*advice.candidates[0].p_cheapest, 0.999);
}

TEST(Chances, ArePaidInSteps) {
  // Within the hour with half of the draws: 1 or 2, against 1.5 for certain.
  const std::vector offers{machine("h", 1, "1", "", 0, "ru-2017-hour"), machine("e", 2, "1.5")};
  auto certain = takes("certain", 2, 3600, 1.000001);
  const auto advice = advise(std::vector{takes("x", 1, 3600, 1.2), certain}, offers, asked()).value();
  EXPECT_NEAR(*candidate_of(advice, "certain").p_cheapest, 0.5, sure);
}

TEST(Chances, OfABillThatIsTheBudgetAreNotLostInRounding) {
  auto request = asked();
  for (const auto* price : {"0.24", "0.1", "0.07", "1.1"}) {
    const std::vector offers{machine("h", 1, price, "", 0, "ru-2017-hour")};
    request.budget = price::parse_decimal(price, "").value();
    const auto advice = advise(std::vector{takes("x", 1, 1000, 1.1)}, offers, request).value();
    EXPECT_EQ(recommended(advice).p_fastest, 1.0) << price;
  }
}

TEST(Chances, OfADeadlineSayWhoseIntervalItIs) {
  auto request = asked();
  request.deadline_s = 1100;
  auto measured = takes("x", 1, 1000, 1.1);
  EXPECT_THAT(advise(std::vector{measured}, one, request).value().assumptions,
              Contains(HasSubstr("are taken to be of one;")));
  measured.repeats = 8;
  EXPECT_THAT(advise(std::vector{measured}, one, request).value().assumptions,
              Not(Contains(HasSubstr("are taken to be of one;"))));
}

TEST(Chances, AreNeverToldAsCertain) {
  const std::vector two{takes("a", 1, 1000, 1.01), takes("b", 1, 9000, 1.01)};
  for (const auto& [draws, words] :
       {std::pair{1000, "above 99.0 %"}, {10'000, "above 99.9 %"}, {200'000, "above 99.9 %"}}) {
    auto request = asked();
    request.simulations = draws;
    EXPECT_THAT(advise(two, one, request).value().findings, Contains(HasSubstr(words))) << draws;
  }
}

TEST(Chances, AreTheSameForTheSameSeed) {
  const std::vector two{takes("a", 1, 1000, 1.2), takes("b", 1, 1050, 1.3)};
  auto request = asked();
  const auto first = advise(two, one, request).value(), again = advise(two, one, request).value();
  EXPECT_EQ(first.candidates[0].p_cheapest, again.candidates[0].p_cheapest);
  request.seed = 2;
  EXPECT_NE(advise(two, one, request).value().candidates[0].p_cheapest, first.candidates[0].p_cheapest);
}

TEST(Chances, AreNotToldWithoutIntervals) {
  auto single = takes("a", 1, 1000);
  single.repeats = 1;
  const auto advice = advise(std::vector{single, takes("b", 1, 1050, 1.3)}, one, asked()).value();
  EXPECT_FALSE(candidate_of(advice, "a").p_cheapest);
  EXPECT_FALSE(candidate_of(advice, "b").p_cheapest);
  EXPECT_TRUE(advice.next_runs.empty());
  EXPECT_THAT(advice.findings,
              Contains(HasSubstr(
                  "cannot be said: a has no interval, after one run; one more run of it costs 0.278 USD")));
  EXPECT_THAT(advice.findings.front(), HasSubstr("As far as these times tell"));
}

TEST(Chances, AreToldWhereOnlyHopelessOnesHaveNoInterval) {
  const auto advice =
      advise(std::vector{takes("a", 1, 1000, 1.1), takes("b", 1, 5000)}, one, asked()).value();
  EXPECT_GT(*candidate_of(advice, "a").p_cheapest, 0.999);
}

TEST(Loss, IsWhatNotKnowingCosts) {
  // E max(0, X - Y) of two log-normal costs, by Margrabe's formula (J. Finance 33, 1978).
  const auto advice =
      advise(std::vector{takes("a", 1, 3600, 1.2), takes("b", 1, 3780, 1.3)}, one, asked()).value();
  const double sa = sigma_of(1.2), sb = sigma_of(1.3), s = std::hypot(sa, sb);
  const double a = std::exp(sa * sa / 2), b = 1.05 * std::exp(sb * sb / 2);  // means
  const double d1 = std::log(a / b) / s + s / 2, d2 = d1 - s;
  const double loss = a * normal_cdf(d1) - b * normal_cdf(d2);
  EXPECT_NEAR(std::stod(advice.expected_loss->amount), loss, 0.1 * loss);
}

TEST(NextRun, HelpsWhereTheChoiceIsOpenAndNotWhereItIsClear) {
  auto a = takes("a", 1, 1000, 1.2), b = takes("b", 1, 1050, 1.3), c = takes("c", 1, 9000, 1.3);
  a.repeats = b.repeats = c.repeats = 3;
  const auto open = advise(std::vector{a, b, c}, one, asked()).value();
  ASSERT_EQ(open.next_runs.size(), 2u);
  EXPECT_EQ(open.next_runs[0].configuration, "b") << "it is the less certain one";
  EXPECT_EQ(open.next_runs[0].cost.amount, "0.291667");
  for (const auto& run : open.next_runs) EXPECT_GT(run.p_expected, run.p_now);
  const auto clear = advise(std::vector{a, c}, one, asked()).value();
  EXPECT_TRUE(clear.next_runs.empty());
}

TEST(NextRun, OfLessThanACentIsGivenForAThousandJobsOnce) {
  auto a = takes("a", 1, 10, 1.2), b = takes("b", 1, 10.5, 1.3);
  a.repeats = b.repeats = 3;
  const auto text =
      fmt::format("{}", fmt::join(advise(std::vector{a, b}, one, asked()).value().findings, " "));
  EXPECT_THAT(text, ContainsRegex("being unsure costs [0-9.]+ USD per 1,000 jobs on average"));
}

TEST(NextRun, CostsWhatARunCostsAndNotTheJob) {
  auto a = takes("a", 1, 1000, 1.2), b = takes("b", 1, 1050, 1.3);
  a.repeats = b.repeats = 3;
  b.run_s = 36;
  const auto advice = advise(std::vector{a, b}, one, asked()).value();
  EXPECT_EQ(advice.next_runs.at(0).configuration, "b");
  EXPECT_EQ(advice.next_runs.at(0).cost.amount, "0.01");
}

TEST(NextRun, ExpectsWhatTheModelExpects) {
  // One uncertain time against a certain one. The fifth run is off by Student's t of 3 degrees; the mean
  // moves by a fifth of that, and what is then known of it is Student's t of 4.
  auto x = takes("x", 1, 1000, 1.3);
  x.repeats = 4;
  const auto advice = advise(std::vector{x, takes("certain", 1, 1020, 1.0000001)}, one, asked()).value();
  ASSERT_EQ(advice.next_runs.size(), 1u);
  const double error = sigma_of(1.3) * z95 / 3.182446, gap = std::log(1.02);
  double expected = 0, weights = 0;
  for (double t = -200; t <= 200; t += 0.01) {
    const double moved = error * t / std::sqrt(5), after = error * std::sqrt((3 + t * t) / 5);
    const double share = student_4_cdf((gap - moved) / after), weight = 1 / ((3 + t * t) * (3 + t * t));
    expected += weight * std::max(share, 1 - share);
    weights += weight;
  }
  EXPECT_NEAR(advice.next_runs[0].p_expected, expected / weights, 0.02);
}

}  // namespace
}  // namespace neph::advise
