#include "image/page_cache.hpp"

#include <gtest/gtest.h>

#include "image/testing.hpp"

namespace neph::image {
namespace {

TEST(PageCache, DropsAndLoadsAFile) {
  const TestFolder folder;
  const auto path = folder / "file";
  write(path, std::string(1 << 20, 'x'));
  EXPECT_EQ(cached_fraction(path).value(), 1);  // just written
  ASSERT_TRUE(drop_from_cache(path));
  const double left = cached_fraction(path).value();
  if (left == 1)
    GTEST_SKIP() << folder.path() << " keeps its files in memory (tmpfs?): nothing can be dropped";
  EXPECT_EQ(left, 0);
  ASSERT_TRUE(load_into_cache(path));
  EXPECT_EQ(cached_fraction(path).value(), 1);
}

TEST(PageCache, AnEmptyFileIsInMemory) {
  const TestFolder folder;
  write(folder / "empty", "");
  EXPECT_EQ(cached_fraction(folder / "empty").value(), 1);
}

TEST(PageCache, SaysWhatIsMissing) {
  for (const auto& code : {drop_from_cache("/no/such").error().code, load_into_cache("/no/such").error().code,
                           cached_fraction("/no/such").error().code})
    EXPECT_EQ(code, ErrorCode::not_found);
}

}  // namespace
}  // namespace neph::image
