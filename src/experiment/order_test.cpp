#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "experiment/experiment.hpp"

namespace neph::experiment {
namespace {

using testing::ElementsAre;

TEST(Order, EveryBlockHoldsEveryCellOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const std::int64_t cells = 1 + static_cast<std::int64_t>(seed % 9);
    const auto slots = order({.repeat = 3, .seed = seed}, cells);
    ASSERT_EQ(slots.size(), static_cast<std::size_t>(3 * cells));
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      EXPECT_EQ(slots[i].position, static_cast<std::int64_t>(i));
      EXPECT_EQ(slots[i].repeat, static_cast<std::int64_t>(i) / cells);
      seen.emplace(slots[i].cell, slots[i].repeat);
    }
    EXPECT_EQ(seen.size(), slots.size());
  }
}

TEST(Order, MoreRepeatsOnlyAddBlocks) {
  const auto few = order({.repeat = 2, .seed = 99}, 6);
  const auto more = order({.repeat = 5, .seed = 99}, 6);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
}

/// The expected order comes from a second implementation of the generator and the shuffle, in Python.
TEST(Order, IsTheSameEverywhere) {
  std::vector<std::int64_t> cells;
  for (const auto& slot : order({.repeat = 3, .seed = 7}, 5)) cells.push_back(slot.cell);
  EXPECT_THAT(cells, ElementsAre(0, 4, 2, 1, 3, 1, 2, 0, 3, 4, 3, 4, 1, 0, 2));
}

/// Each of the 6 orders of 3 cells equally often: chi-square with 5 degrees of freedom stays below 20.5
/// (p = 0.001); the seeds are fixed, so this does not flicker.
TEST(Order, EveryOrderIsEquallyLikely) {
  std::map<std::vector<std::int64_t>, double> counts;
  constexpr int draws = 6000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    std::vector<std::int64_t> cells;
    for (const auto& slot : order({.seed = seed}, 3)) cells.push_back(slot.cell);
    ++counts[cells];
  }
  ASSERT_EQ(counts.size(), 6u);
  double chi_square = 0;
  for (const auto& [cells, count] : counts)
    chi_square += (count - draws / 6.0) * (count - draws / 6.0) / (draws / 6.0);
  EXPECT_LT(chi_square, 20.5);
}

}  // namespace
}  // namespace neph::experiment
