#include "core/lists.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(SplitAt, HasWhatStandsBetweenMarks) {
  EXPECT_EQ(split_at(" a, b c,,", ','), (std::vector<std::string_view>{"a", "b c", "", ""}));
  EXPECT_EQ(split_at("a", '|'), std::vector<std::string_view>{"a"});
  EXPECT_EQ(split_at("", ','), std::vector<std::string_view>{""});
}

}  // namespace
}  // namespace neph
