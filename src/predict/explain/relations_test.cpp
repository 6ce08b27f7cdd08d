#include "predict/explain/relations.hpp"

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

/// Whether a row with the first column of point `a`, the second of `b` and the third of `c` may be.
bool may_be(const std::string& text, std::size_t a, std::size_t b, std::size_t c) {
  return Relations(*table::parse_table(text, "table")).hold({a, b, c});
}

TEST(Relations, AreOfProducts) {
  const std::string text = "all,rows,columns\n1,1,1\n2,1,2\n2,2,1\n6,3,2\n6,2,3\n4,2,2\n";
  EXPECT_TRUE(may_be(text, 2, 1, 1)) << "2 = 1 x 2";
  EXPECT_FALSE(may_be(text, 2, 2, 1)) << "2 = 2 x 2";
}

TEST(Relations, AreOfSums) {
  const std::string text = "all,used,free\n4,4,0\n8,4,4\n8,8,0\n6,3,3\n7,0,7\n9,5,4\n";
  EXPECT_TRUE(may_be(text, 1, 2, 0)) << "8 = 8 + 0";
  EXPECT_FALSE(may_be(text, 1, 2, 1)) << "8 = 8 + 4";
}

TEST(Relations, AreOfNumbersInTextAndLeaveOutWhatIsNone) {
  const std::string text = "all,rows,columns\n1px,1,1\n2px,1,2\n2px,2,1\n6px,3,2\n6px,2,3\n4px,2,2\n";
  EXPECT_FALSE(may_be(text, 2, 2, 1));
  EXPECT_TRUE(may_be("all,rows,columns\na,1,1\nb,1,2\nb,2,1\nc,3,2\nc,2,3\nd,2,2\n", 2, 2, 1));
  EXPECT_TRUE(may_be("all,rows,columns\n1,1,1\n2,1,2\n2,2,1\n6,3,2\n,2,3\n4,2,2\n", 2, 2, 1));
}

TEST(Relations, AreNoneWhereTheyMayBeChance) {
  EXPECT_TRUE(may_be("a,b,c\n1,5,2\n2,3,9\n7,1,4\n", 0, 1, 2)) << "three points always lie in a plane";
  EXPECT_TRUE(may_be("a,b,c\n1,1,1\n2,1,2.1\n2,2,1\n6,3,2\n6,2,3\n4,2,2\n", 2, 2, 1)) << "5 % off once";
}

}  // namespace
}  // namespace neph::predict
