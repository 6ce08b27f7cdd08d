#include "predict/explain/fit_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(FitWarnings, AreOfProcessesThatNeededMuchMoreNoise) {
  Ensemble ensemble{.columns = {}, .members = {std::nullopt, Member{}}};
  auto& process = ensemble.members.back()->process;
  EXPECT_THAT(warnings_of(ensemble), IsEmpty());
  for (const double raised : {1., 3., 10.}) {
    process = GaussianProcess{.noise_raised = raised};
    EXPECT_THAT(warnings_of(ensemble), IsEmpty()) << raised;
  }
  process->noise_raised = 1e6;
  EXPECT_THAT(
      warnings_of(ensemble),
      ElementsAre(HasSubstr("log-linear + GP: ill-conditioned, factorised only with 1e+06 times its noise")));
}

}  // namespace
}  // namespace neph::predict
