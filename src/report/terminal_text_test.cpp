#include "report/terminal_text.hpp"

#include <gtest/gtest.h>

namespace neph::report {
namespace {

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("/a/path/that/is/wide ends", 8, 2), "/a/path/that/is/wide\n  ends\n");
  EXPECT_EQ(wrapped("", 8, 2), "\n");
}

TEST(Wrapped, KeepsAPercentSignWithItsNumber) {
  EXPECT_EQ(wrapped("below 1.4 %", 10, 2), "below\n  1.4 %\n");
  EXPECT_EQ(wrapped("by 4.1 % (95 % CI 2.9 to 5.3 %)", 14, 2), "by 4.1 % (95 %\n  CI 2.9 to\n  5.3 %)\n");
  EXPECT_EQ(wrapped("%", 10, 2), "%\n");
}

}  // namespace
}  // namespace neph::report
