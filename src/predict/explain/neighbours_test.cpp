#include "predict/explain/neighbours.hpp"

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Points points_of(const std::string& text) {
  auto table = *table::parse_table(text, "measured");
  const auto rows = table.rows;
  return {.features = std::move(table), .target = std::vector<double>(rows, 1)};
}

TEST(Neighbours, DifferInWhatOnlyOneOfThemHas) {
  const auto measured = points_of("batch,cache,machine\n8,,m1\n8,2,m1\n");
  const auto rows = *table::parse_table("batch,cache,machine\n8,,m1\n16,2,m2\n", "rows");
  const Neighbours neighbours(measured, rows, {}, {{0, 1}, {1, 0}});
  EXPECT_THAT(neighbours.differences(0, 0), IsEmpty()) << "both are empty";
  EXPECT_THAT(neighbours.differences(0, 1), ElementsAre(1)) << "only the point has a number";
  EXPECT_THAT(neighbours.differences(1, 0), ElementsAre(0, 1, 2)) << "only the row has one";
  EXPECT_THAT(neighbours.differences(1, 1), ElementsAre(0, 2));
  EXPECT_THAT(neighbours.nearest(1), ElementsAre(1, 0));
}

TEST(Neighbours, NumbersInTextsAreNumbers) {
  const auto measured = points_of("side,batch\n32dataset,1\n224dataset,2\n");
  const auto rows = *table::parse_table("side,batch\n224,2.0\n", "rows");
  const Neighbours neighbours(measured, rows, {}, {{1}});
  EXPECT_THAT(neighbours.differences(0, 1), IsEmpty());
  EXPECT_THAT(neighbours.differences(0, 0), ElementsAre(0, 1));
}

TEST(Neighbours, WithAndWithoutAUnitAreOneNumber) {
  const auto measured = points_of("side\n96px\n128px\n");
  const auto rows = *table::parse_table("side\n96\n128px\n", "rows");
  const Neighbours neighbours(measured, rows, {}, {{0}, {1}});
  EXPECT_THAT(neighbours.differences(0, 0), IsEmpty());
  EXPECT_THAT(neighbours.differences(1, 1), IsEmpty());
  EXPECT_THAT(neighbours.differences(1, 0), ElementsAre(0));
}

TEST(Neighbours, TextIsComparedAsText) {
  const auto measured = points_of("model,batch\nVGG16,1\n2,1\n");
  const auto rows = *table::parse_table("model,batch\n2,1\nVGG16,1\n", "rows");
  const Neighbours neighbours(measured, rows, {}, {{0}, {0}});
  EXPECT_THAT(neighbours.differences(0, 0), ElementsAre(0));
  EXPECT_THAT(neighbours.differences(0, 1), IsEmpty());
  EXPECT_THAT(neighbours.differences(1, 0), IsEmpty());
}

TEST(Neighbours, NamesAreNoNumbers) {
  const auto measured = points_of("gpu,batch\n3090,1\n4090,1\n");
  const auto rows = *table::parse_table("gpu,batch\n4090 Ti,1\n", "rows");
  EXPECT_THAT(Neighbours(measured, rows, {"gpu"}, {{1}}).differences(0, 1), ElementsAre(0));
}

TEST(Neighbours, AFeatureThatTheRowsDoNotHaveIsNoDifference) {
  const auto measured = points_of("batch,machine\n8,m1\n");
  const auto rows = *table::parse_table("batch\n8\n", "rows");
  EXPECT_THAT(Neighbours(measured, rows, {}, {{0}}).differences(0, 0), IsEmpty());
}

}  // namespace
}  // namespace neph::predict
