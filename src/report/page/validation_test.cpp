#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/written_test.hpp"
#include "report/sample_validation_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ValidationPage, AnswersFirst) {
  const auto text = html(sample_validation());
  EXPECT_THAT(text, HasSubstr("<h1>How well time (ms) is predicted</h1>"));
  EXPECT_THAT(
      text,
      HasSubstr("<p class=\"lead\">auto predicts half of 24 points that it was not fitted on "
                "within 1.67&nbsp;%, nine of ten within 4.50&nbsp;%; the worst is 5.00&nbsp;% off.</p>"));
  EXPECT_THAT(text, HasSubstr("Mean errors: auto 2.50&nbsp;%, ernest 20.0&nbsp;%."));
}

TEST(ValidationPage, SaysEverythingInTables) {
  const auto text = html(sample_validation());
  for (const auto* needed :
       {"Errors by method and split", "fold 2 of 2", "By machine", "What to measure next", "Takes away",
        "no more can be said.", "auto refused: no row of this machine was measured (1 point)"})
    EXPECT_THAT(text, HasSubstr(needed));
}

TEST(ValidationPage, LetsNoTextBecomeMarkup) {
  const auto text = written(html(sample_validation({.hostile = true})));
  EXPECT_THAT(text,
              AllOf(Not(HasSubstr("<b>\"|")), Not(HasSubstr("alert('x')</script")), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(count(text, "<script"), count(text, "</script>"));
  EXPECT_EQ(count(text, "<script"), count(written(html(sample_validation())), "<script"));
}

TEST(ValidationPage, BearsNothing) {
  EXPECT_THAT(html(Validation{}), AllOf(HasSubstr("No point was answered"), Not(HasSubstr("<figure"))));
}

TEST(ValidationPage, StaysSmallWithManyPoints) {
  EXPECT_LT(html(sample_validation({.points = 20'000})).size(), std::size_t{3} << 20);
}

}  // namespace
}  // namespace neph::report
