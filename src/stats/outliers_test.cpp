#include "stats/outliers.hpp"

#include <limits>

#include <gmock/gmock.h>

namespace neph::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::size_t, OutlierKind>> found(const std::vector<double>& samples) {
  std::vector<std::pair<std::size_t, OutlierKind>> result;
  for (const auto& [index, kind] : outliers(samples)) result.emplace_back(index, kind);
  return result;
}

TEST(Outliers, LieBeyondTheFences) {
  // Quartiles 3 and 7: fences at -9, -3, 13 and 19; a sample on a fence is inside.
  const std::vector<double> inner{3, 3, 4, 5, 6, 7, 7};
  auto samples = inner;
  samples.insert(samples.end(), {-3, 13});
  EXPECT_THAT(found(samples), IsEmpty());
  samples = {20, 3, 3, 4, -9.5, 5, 6, 7, 7};
  EXPECT_THAT(found(samples),
              ElementsAre(Pair(0u, OutlierKind::high_severe), Pair(4u, OutlierKind::low_severe)));
  samples = {19, 3, 3, 4, -9, 5, 6, 7, 7};
  EXPECT_THAT(found(samples), ElementsAre(Pair(0u, OutlierKind::high_mild), Pair(4u, OutlierKind::low_mild)));
}

TEST(Outliers, OneSlowRunOfFiveIsSeen) {
  EXPECT_THAT(found({100, 101, 99, 250, 100.5}), ElementsAre(Pair(3u, OutlierKind::high_severe)));
}

TEST(Outliers, NeedFourSamples) {
  EXPECT_THAT(found({1, 2, 1000}), IsEmpty());
  EXPECT_THAT(found({}), IsEmpty());
  EXPECT_THAT(found({1, 1, 1, 1, std::numeric_limits<double>::quiet_NaN()}), IsEmpty());
}

}  // namespace
}  // namespace neph::stats
