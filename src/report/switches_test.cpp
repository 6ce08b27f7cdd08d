#include "report/switches.hpp"

#include <gmock/gmock.h>

#include "record/metrics.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Trainings with `compile` off and on, which takes `time` of the other's time.
Document compiled(double time, const char* framework = "pytorch") {
  auto document = training_document({.places = {"process", "docker"}, .container = time});
  for (auto& cell : document.cells) {
    Json factors = Json::object();
    for (const auto& [name, value] : cell.cell.factors.items())
      if (name == "in")
        factors["compile"] = value == "docker" ? "on" : "off";
      else
        factors[name] = value;
    cell.cell.factors = factors;
  }
  document.experiment.spec["framework"] = framework;
  return document;
}

TEST(Switches, ThatPaySayByHowMuchAndWhichLineSetsThem) {
  const auto said = switch_findings(compiled(0.8));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], AllOf(HasSubstr("compile on pays, 1.2"), HasSubstr(" times as fast as off (95 % CI "),
                             HasSubstr("3 pairs"), HasSubstr("`model.compile()`")));
  EXPECT_THAT(switch_findings(compiled(0.8, "keras-jax"))[0], HasSubstr("jit_compile=True"));
}

TEST(Switches, ThatCostTimeAreNotRecommended) {
  const auto said = switch_findings(compiled(1.3));
  EXPECT_THAT(said,
              ElementsAre(AllOf(HasSubstr("compile on costs time, 0.7"), Not(HasSubstr("in a script")))));
}

TEST(Switches, WithoutAnEffectSaySo) {
  EXPECT_THAT(switch_findings(compiled(1))[0], HasSubstr("makes no significant difference to off"));
}

TEST(Switches, WithTooWideAnIntervalAreInconclusive) {
  auto document = compiled(1);
  for (auto& run : document.runs)
    for (auto& figure : run.result.figures)
      if (figure.name == metric::samples_per_s.name && run.repeat == 0 && run.cell % 2 == 1)
        figure.estimate.value *= 20;
  EXPECT_THAT(switch_findings(document)[0], HasSubstr("whether compile on pays is inconclusive (95 % CI "));
}

TEST(Switches, FrameworksAreHeldAgainstTheFirst) {
  auto document = compiled(0.8);
  for (auto& cell : document.cells) {
    auto& factors = cell.cell.factors;
    factors["framework"] = factors["compile"] == "on" ? "keras-jax" : "pytorch";
    factors.erase("compile");
  }
  EXPECT_THAT(switch_findings(document),
              ElementsAre(AllOf(HasSubstr("keras-jax is 1.2"),
                                HasSubstr(" times as fast as pytorch (95 % CI "), HasSubstr("3 pairs"))));
  for (auto& cell : document.cells) {
    auto& framework = cell.cell.factors["framework"];
    framework = framework == "pytorch" ? "keras-jax" : "pytorch";
  }
  EXPECT_THAT(switch_findings(document)[0], HasSubstr("pytorch is 1.2")) << "the faster is named first";
}

TEST(Switches, AreNothingWhereNoneVaries) { EXPECT_TRUE(switch_findings(training_document()).empty()); }

}  // namespace
}  // namespace neph::report
