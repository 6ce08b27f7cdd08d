#include <regex>

#include <gmock/gmock.h>

#include "report/report.hpp"
#include "report/sample_comparison_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;

std::string without_colours(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

TEST(ComparisonText, ColoursVerdictsAndNothingElseOfTheRows) {
  const auto comparison = sample_comparison();
  const auto text = text_summary(comparison, {.width = 100, .colour = true});
  for (const auto* verdict : {" %  \x1b[31mworse\x1b[0m\n", " %  \x1b[33mundecided\x1b[0m\n",
                              " %  \x1b[32mbetter\x1b[0m\n", " %  \x1b[32mequivalent\x1b[0m\n"})
    EXPECT_THAT(text, HasSubstr(verdict));
  EXPECT_EQ(without_colours(text), text_summary(comparison, {.width = 100}));
}

TEST(ComparisonText, OfANarrowTerminalHasTheSameLinesInColour) {
  const auto comparison = sample_comparison({.hostile = true});
  EXPECT_EQ(without_colours(text_summary(comparison, {.width = 56, .colour = true})),
            text_summary(comparison, {.width = 56}));
}

TEST(ComparisonText, SaysWhichMetricsNoiseIsKnown) {
  EXPECT_THAT(
      text_summary(sample_comparison(), {.width = 200}),
      HasSubstr("\nnoise of this machine: 95 % of A/A comparisons differ by less than 1.4 %, as 20 of "
                "them suggest\n"));
  EXPECT_THAT(
      text_summary(sample_comparison({.metrics = {"images_per_s", "latency_p99_ms"}}), {.width = 200}),
      HasSubstr("\nnoise of this machine in images/s: 95 %"));
}

}  // namespace
}  // namespace neph::report
