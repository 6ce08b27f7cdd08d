#include "core/values.hpp"

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::ElementsAre;

std::vector<std::string> expanded(std::string_view text) {
  const auto values = expand_values(text);
  EXPECT_TRUE(values) << text;
  return values.value_or(std::vector<std::string>{});
}

TEST(Values, ListsAndRanges) {
  EXPECT_THAT(expanded("8"), ElementsAre("8"));
  EXPECT_THAT(expanded("f32,bf16"), ElementsAre("f32", "bf16"));
  EXPECT_THAT(expanded("1,2,4..6"), ElementsAre("1", "2", "4", "5", "6"));
  EXPECT_THAT(expanded("1..64*2"), ElementsAre("1", "2", "4", "8", "16", "32", "64"));
  EXPECT_THAT(expanded("10..50+20"), ElementsAre("10", "30", "50"));
  EXPECT_THAT(expanded("0.1..0.3+0.1"), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(expanded("-2..1"), ElementsAre("-2", "-1", "0", "1"));
}

TEST(Values, APathWithDotsIsNotARange) {
  EXPECT_THAT(expanded("../shared/data"), ElementsAre("../shared/data"));
}

TEST(Values, RefusesWhatHasNoEnd) {
  for (const auto* text : {"", "1,,2", "1,", "5..1", "1..8*1", "0..8*2", "1..9+0", "1..1000000"})
    EXPECT_FALSE(expand_values(text)) << text;
}

TEST(Values, TextOfTheFieldsType) {
  EXPECT_EQ(value_as_json<bool>("off"), Json(false));
  EXPECT_EQ(value_as_json<std::int64_t>("8"), Json(8));
  EXPECT_EQ(value_as_json<double>("1e3"), Json(1000.0));
  EXPECT_EQ(value_as_json<std::int64_t>("eight"), Json("eight"));
  EXPECT_EQ(value_as_json<std::string>("8"), Json("8"));
  EXPECT_EQ(value_as_text(Json(true)), "on");
  EXPECT_EQ(value_as_text(Json(8)), "8");
}

TEST(Values, QuotesForTheShellOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_quoted("../a/b.jpg"), "../a/b.jpg");
  EXPECT_EQ(shell_quoted("my photos"), "'my photos'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace neph
