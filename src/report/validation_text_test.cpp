#include <gmock/gmock.h>

#include "report/report.hpp"
#include "report/sample_validation_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ValidationText, HasErrorsByWhatWasLeftOutAndWhatExplainsThem) {
  const auto text = text_summary(sample_validation());
  for (const auto* needed : {"Left out ", "fold 2 of 2", "all ", "2.50 %", "With more points, auto:",
                             "What each column contributes, as a factor of the errors:",
                             "What to measure next:", "no more can be said\n"})
    EXPECT_THAT(text, HasSubstr(needed));
}

TEST(ValidationText, IsOfTheErrorsAloneWhereNothingWasExplained) {
  auto validation = sample_validation();
  validation.splits.pop_back();
  validation.methods.resize(1);
  validation.methods[0].splits.pop_back();
  validation.methods[0].failures = {"fold 2 of 2: too few\x1b points"};
  validation.learning_curve.clear(), validation.contributions.clear(), validation.proposals.clear();
  const auto text = text_summary(validation);
  EXPECT_THAT(text, HasSubstr("auto could not be fitted: fold 2 of 2: too few\xEF\xBF\xBD points\n"));
  EXPECT_THAT(text, Not(HasSubstr("all ")));
  EXPECT_THAT(text, Not(HasSubstr("With more")));
}

}  // namespace
}  // namespace neph::report
