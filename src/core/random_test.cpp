#include "core/random.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::ElementsAre;

TEST(Random, SplitMixGivesThePublishedNumbers) {
  std::uint64_t state = 1234567;  // the reference of Rosetta Code, "Pseudo-random numbers/Splitmix64"
  EXPECT_EQ(split_mix(state), 6457827717110365317u);
  EXPECT_EQ(split_mix(state), 3203168211198807973u);
  EXPECT_EQ(split_mix(state), 9817491932198370423u);
  EXPECT_EQ(split_mix(state), 4593380528125082431u);
  EXPECT_EQ(split_mix(state), 16408922859458223821u);
}

TEST(Random, BitsAreThoseOfXoshiroSeededBySplitMix) {
  Random random(0);  // as other implementations seeded in the recommended way give them
  EXPECT_EQ(random.bits(), 11091344671253066420u);
  EXPECT_EQ(random.bits(), 13793997310169335082u);
  EXPECT_EQ(random.bits(), 1900383378846508768u);
  EXPECT_EQ(random.bits(), 7684712102626143532u);
}

TEST(Random, BelowIsFairAndStaysBelow) {
  for (const std::uint64_t n : {1u, 2u, 3u, 7u, 10u}) {
    Random random(42 + n);
    std::vector<int> counts(n);
    const int draws = 70000;
    for (int i = 0; i < draws; ++i) {
      const auto value = random.below(n);
      ASSERT_LT(value, n);
      ++counts[value];
    }
    const double expected = draws / static_cast<double>(n);
    double chi_squared = 0;
    for (const int count : counts) chi_squared += (count - expected) * (count - expected) / expected;
    EXPECT_LT(chi_squared, 28) << n;  // 99.9 % for 9 degrees of freedom
  }
  EXPECT_EQ(Random(1).below(0), 0u);
}

TEST(Random, BelowIsFairWhereTheModulusWouldNotBe) {
  // n = 3 * 2^62: `bits() % n` would give the lower third of the values twice as often as the others.
  const std::uint64_t third = std::uint64_t{1} << 62;
  Random random(7);
  std::vector<int> counts(3);
  for (int i = 0; i < 30000; ++i) ++counts.at(random.below(3 * third) / third);
  for (const int count : counts) EXPECT_NEAR(count, 10000, 330);  // 4 deviations
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(3);
  const int n = 200000;
  double sum = 0, normal_sum = 0, square_sum = 0, fourth_sum = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    const double z = random.normal();
    normal_sum += z;
    square_sum += z * z;
    fourth_sum += z * z * z * z;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.003);
  EXPECT_NEAR(normal_sum / n, 0, 0.01);
  EXPECT_NEAR(square_sum / n, 1, 0.015);
  EXPECT_NEAR(fourth_sum / n, 3, 0.15);
}

TEST(Random, ShuffleGivesEachOrderEquallyOften) {
  Random random(11);
  std::map<std::vector<int>, int> seen;
  const int draws = 24000;
  for (int i = 0; i < draws; ++i) {
    std::vector<int> items{0, 1, 2, 3};
    shuffle(items, random);
    ++seen[items];
  }
  EXPECT_EQ(seen.size(), 24u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, draws / 24, 130);  // 4 deviations
}

TEST(Random, ShuffleIsTheSameEverywhere) {
  std::vector<int> items(10);
  std::iota(items.begin(), items.end(), 0);
  Random random(2026);
  shuffle(std::span(items), random);
  // From the same algorithms written down in Python's whole numbers.
  EXPECT_THAT(items, ElementsAre(0, 1, 8, 9, 3, 4, 7, 6, 2, 5));
}

}  // namespace
}  // namespace neph
