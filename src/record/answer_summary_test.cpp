#include "record/answer_summary.hpp"

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::HasSubstr;

const AnswerSummary logits{
    .name = "my logits", .element = "f32", .shape = "[1, 2]", .mean = 0.5, .rms = 2, .mark = -1};
const AnswerSummary count{.name = "count", .element = "i64", .shape = "[]", .mean = 7, .rms = 7, .mark = 7};

TEST(AnswerSummary, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_answers(answers_text({logits, count})), (std::vector{logits, count}));
  EXPECT_EQ(parse_answers(""), std::vector<AnswerSummary>());
  EXPECT_EQ(parse_answers("class 7"), std::vector<AnswerSummary>());
}

TEST(AnswerSummary, DiffersBeyondRoundingOnly) {
  auto other = logits;
  other.mark += 0.01;
  EXPECT_EQ(how_answers_differ({logits}, {other}, 0.01), "");
  other.mark += 0.1;
  EXPECT_THAT(how_answers_differ({logits}, {other}, 0.01), HasSubstr("'my logits' differs by 0.055"));
  other.shape = "[2, 1]";
  EXPECT_THAT(how_answers_differ({logits}, {other}, 0.01), HasSubstr("is [1, 2] and [2, 1]"));
  EXPECT_THAT(how_answers_differ({logits}, {logits, count}, 0.01), HasSubstr("1 and 2 outputs"));
}

}  // namespace
}  // namespace neph
