#include "predict/explain/learning_curve.hpp"

#include <gmock/gmock.h>

#include "predict/models/noisy_work_test.hpp"

namespace neph::predict {
namespace {

using testing::IsEmpty;

TEST(LearningCurve, FallsAndIsTheSameForTheSameSeed) {
  const auto profile = noisy_work(12);
  const FitOptions options{.method = Method::process};
  const auto curve = *learning_curve(profile, options, 1), again = *learning_curve(profile, options, 1);
  std::vector<std::int64_t> sizes;
  for (const auto& point : curve) {
    sizes.push_back(point.points);
    EXPECT_EQ(point.draws, 3);
    EXPECT_LE(point.least, point.mean);
    EXPECT_GE(point.most, point.mean);
  }
  EXPECT_THAT(sizes, testing::ElementsAre(20, 40, 57));
  EXPECT_LT(curve.back().mean, curve.front().mean);
  for (std::size_t i = 0; i < curve.size(); ++i) EXPECT_EQ(curve[i].mean, again[i].mean);
  EXPECT_NE(curve.front().mean, learning_curve(profile, options, 2)->front().mean);
}

TEST(LearningCurve, IsEmptyOfFewPoints) {
  EXPECT_THAT(*learning_curve(noisy_work(4), {.method = Method::process}, 1), IsEmpty());
}

}  // namespace
}  // namespace neph::predict
