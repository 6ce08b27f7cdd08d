#include "stats/change_points.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "core/random.hpp"

namespace neph::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<double> noise(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(n);
  for (auto& value : values) value = random.normal();
  return values;
}

std::vector<std::size_t> places_in(const std::vector<double>& values) {
  std::vector<std::size_t> places;
  for (const auto& found : change_points(values, 2, 1)) {
    EXPECT_LE(found.p_value, 0.05);
    places.push_back(found.place);
  }
  return places;
}

TEST(ChangePoints, AreWhereASeriesSteps) {
  auto values = noise(40, 1);
  for (std::size_t i = 25; i < 40; ++i) values[i] += 5;
  EXPECT_THAT(places_in(values), ElementsAre(25u));
  for (std::size_t i = 10; i < 25; ++i) values[i] -= 5;
  EXPECT_THAT(places_in(values), ElementsAre(10u, 25u));
}

TEST(ChangePoints, AreFoundWithSixValues) {
  EXPECT_THAT(places_in({1, 1.01, 0.99, 1.0, 1.02, 0.98, 2, 2.01, 1.99, 2.02}), ElementsAre(6u));
}

TEST(ChangePoints, AreNoneInNoiseButForOneInTwenty) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    found += !change_points(noise(20, 1000 + seed), 2, seed).empty();
  EXPECT_LE(found, 20) << "10 expected; more than 20 are so in 1 of 500 such tests";
  EXPECT_GE(found, 1);
}

TEST(ChangePoints, AreNoneWhereNothingCanBeSaid) {
  EXPECT_THAT(places_in({}), IsEmpty());
  EXPECT_THAT(places_in({1, 2, 3}), IsEmpty());
  EXPECT_THAT(places_in(std::vector<double>(30, 7)), IsEmpty());
  auto values = noise(20, 2);
  values[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(places_in(values), IsEmpty());
}

TEST(ChangePoints, AreNotMadeByOneOutlier) {
  auto values = noise(30, 3);
  values[12] += 30;
  EXPECT_THAT(places_in(values), IsEmpty());
}

}  // namespace
}  // namespace neph::stats
