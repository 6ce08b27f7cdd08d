#include "stats/share.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace neph::stats {
namespace {

// R: binom.test(k, n)$conf.int, as tabled for the exact interval.
TEST(Share, HasTheExactInterval) {
  const auto half = share_estimate(5, 10);
  EXPECT_NEAR(*half.low, 0.1871, 1e-4);
  EXPECT_NEAR(*half.high, 0.8129, 1e-4);
  const auto none = share_estimate(0, 100);
  EXPECT_EQ(*none.low, 0);
  EXPECT_NEAR(*none.high, 0.03622, 1e-5);  // 1 - 0.025^(1/100)
  EXPECT_EQ(*share_estimate(7, 7).high, 1);
  EXPECT_EQ(share_estimate(0, 0).n, 0);
}

TEST(Share, ChancesAreTheBinomialTails) {
  EXPECT_NEAR(chance_of_at_most(1, 10, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(chance_of_at_least(9, 10, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_DOUBLE_EQ(chance_of_at_least(0, 10, 0.5), 1);
}

TEST(Share, SamplesThatComeInRunsAreWorthLess) {
  Random random(11);
  double independent = 0, in_runs = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<std::uint8_t> alone(2000), tenfold(2000);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      alone[i] = random.uniform() < 0.1;
      tenfold[i] = i % 10 == 0 ? random.uniform() < 0.1 : tenfold[i - 1];
    }
    independent += design_effect(alone) / 200;
    in_runs += design_effect(tenfold) / 200;
  }
  EXPECT_NEAR(independent, 1.2, 0.15) << "never below 1";
  EXPECT_NEAR(in_runs, 10, 1);
}

}  // namespace
}  // namespace neph::stats
