#include "predict/explain/split.hpp"

#include <set>

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

table::Table table() {
  return *table::parse_table(
      "# GPUs,model,side (px),t\n2,A,32px,1\n4,A,64px,2\n8,B,32px,3\n4,B,64px,4\n8,C,128px,5\n2,C,64px,6\n",
      "t");
}
std::string error_of(std::string_view text) {
  const auto split = parse_split(text, table());
  return split ? "" : split.error().message;
}

TEST(Split, HasTwoSidesOfConditions) {
  const auto split = *parse_split("# GPUs<=4 -> # gpus > 4", table());
  EXPECT_EQ(split.name, "# GPUs<=4 -> # gpus > 4");
  EXPECT_THAT(split.train, ElementsAre(0, 1, 3, 5));
  EXPECT_THAT(split.test, ElementsAre(2, 4));
  EXPECT_THAT(parse_split("model!=B & # gpus>=4 -> model = B", table())->train, ElementsAre(1, 4));
  EXPECT_THAT(parse_split("model=A|C -> # GPUs<8&model=B", table())->test, ElementsAre(3));
}

TEST(Split, ASideThatIsEmptyHasTheRest) {
  EXPECT_THAT(parse_split("-> model=A|B", table())->train, ElementsAre(4, 5));
  EXPECT_THAT(parse_split("model=A|B ->", table())->test, ElementsAre(4, 5));
}

TEST(Split, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("# GPUs<=4"), HasSubstr("has no '->'"));
  EXPECT_THAT(error_of(" -> "), HasSubstr("one side at least"));
  EXPECT_THAT(error_of("gpu<=4 -> "), HasSubstr("gpu"));
  EXPECT_THAT(error_of("# GPUs<=4 -> # GPUs>=4"), HasSubstr("both sides"));
  EXPECT_THAT(error_of("# GPUs<=4 -> # GPUs>8"),
              HasSubstr("no row is on the right side; '# GPUs' has 2, 4, 8"));
  EXPECT_THAT(error_of("# GPUs>=4 & # GPUs<3 & model=A ->"),
              EndsWith("'# GPUs' has 2, 4, 8; 'model' has A, B, C"));
  EXPECT_THAT(error_of(" -> # GPUs>0"), EndsWith("no row is on the left side: the other has them all"));
}

TEST(Split, LeavesOutEachValue) {
  const auto splits = *leave_out(table(), "model", 0, 3, 1);
  ASSERT_THAT(splits, SizeIs(3)) << "nothing to draw";
  EXPECT_EQ(splits[1].name, "model B left out");
  EXPECT_THAT(splits[1].test, ElementsAre(2, 3));
  EXPECT_THAT(splits[1].train, ElementsAre(0, 1, 4, 5));
}

TEST(Split, KeepsSomeRowsOfWhatItLeavesOut) {
  const auto splits = *leave_out(table(), "model", 1, 4, 1);
  ASSERT_THAT(splits, SizeIs(12));
  std::set<std::size_t> tested;
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_THAT(splits[i].test, SizeIs(1));
    tested.insert(splits[i].test[0]);
  }
  EXPECT_THAT(tested, ElementsAre(0, 1)) << "both rows of A, in some draw";
  EXPECT_EQ(leave_out(table(), "model", 2, 1, 1).error().message,
            "no value of 'model' has more than the 2 rows that are kept: none would be left to predict");
  EXPECT_FALSE(leave_out(*table::parse_table("a,t\n1,1\n1,2\n", "t"), "a", 0, 1, 1));
}

TEST(Split, FoldsAndSamplesCoverAllRowsOnce) {
  std::multiset<std::size_t> tested;
  for (const auto& fold : folds(103, 5, 7)) {
    tested.insert(fold.test.begin(), fold.test.end());
    EXPECT_EQ(fold.test.size() + fold.train.size(), 103u);
    EXPECT_THAT(fold.test.size(), testing::AnyOf(20u, 21u));
  }
  EXPECT_EQ(tested.size(), 103u);
  EXPECT_EQ(std::set<std::size_t>(tested.begin(), tested.end()).size(), 103u);
  const auto drawn = samples(50, 10, 2, 7);
  ASSERT_THAT(drawn, SizeIs(2));
  EXPECT_THAT(drawn[0].train, SizeIs(10));
  EXPECT_NE(drawn[0].train, drawn[1].train);
  EXPECT_EQ(drawn[0].train, samples(50, 10, 2, 7)[0].train) << "the same for the same seed";
}

}  // namespace
}  // namespace neph::predict
