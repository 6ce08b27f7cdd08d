#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.hpp"
#include "report/sample_comparison_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ComparisonPage, BeginsWithTheVerdictThenTheChangesThenWhatElseDiffers) {
  const auto page = html(sample_comparison());
  EXPECT_THAT(page, HasSubstr("<p class=\"lead\"><span class=\"verdict invalid\">✕ worse</span>: 1 of 4 "
                              "configurations is slower"));
  auto at = page.find("id=\"answer\"");
  for (const auto* part :
       {"id=\"changes\"", "id=\"remarks\"", "id=\"figures\"", "id=\"pairs\"", "id=\"reading\""}) {
    const auto next = page.find(part);
    ASSERT_NE(next, std::string::npos) << part;
    EXPECT_GT(next, at) << part;
    at = next;
  }
}

TEST(ComparisonPage, IsNamedAfterItsSides) {
  EXPECT_THAT(html(sample_comparison()), HasSubstr("<title>yesterday.json → today.json</title>"));
  EXPECT_THAT(html(Comparison{}), HasSubstr("<title>Comparison</title>"));
  Comparison commands{.baseline = std::string(300, 'b'), .candidate = std::string(300, 'c')};
  EXPECT_THAT(html(commands),
              AllOf(HasSubstr("<h1>" + std::string(39, 'b') + "… → " + std::string(39, 'c') + "…</h1>"),
                    HasSubstr("baseline " + commands.baseline + " → candidate " + commands.candidate)));
}

TEST(ComparisonPage, SaysOfHowManyRunsEachChangeIs) {
  EXPECT_THAT(html(sample_comparison()), HasSubstr("<td>12 pairs</td>"));
  auto apart = sample_comparison({.configurations = 2, .is_paired = false});
  apart.rows[0].candidate.n = 10;
  apart.rows[1].candidate.n = 0;
  EXPECT_THAT(html(apart), AllOf(HasSubstr("<td>12 and 10 runs</td>"), HasSubstr("<td>–</td>")));
}

TEST(ComparisonPage, OfARefusalHasNeitherChartNorNumbers) {
  EXPECT_THAT(html(refused_comparison()),
              AllOf(HasSubstr("<span class=\"verdict doubtful\">! not comparable</span>: machine"),
                    HasSubstr("<li class=\"doubtful\">engine"), Not(HasSubstr("<figure>")),
                    Not(HasSubstr("<tbody>")), Not(HasSubstr("How to read"))));
}

TEST(ComparisonPage, OfNothingSaysSo) {
  EXPECT_THAT(html(Comparison{}), HasSubstr("! undecided</span>: nothing was compared."));
  EXPECT_THAT(html(History{.metric = "images_per_s"}), HasSubstr("No experiment has measured images/s."));
}

TEST(HistoryPage, HasEveryValueInATable) {
  const auto page = html(sample_history());
  EXPECT_THAT(page, AllOf(HasSubstr("images/s over time"), HasSubstr("<summary>batch 8: 14 experiments"),
                          HasSubstr("5.1&nbsp;% slower"), HasSubstr("what else changed")));
}

TEST(ComparisonPage, NamesStayText) {
  for (const auto& page :
       {html(sample_comparison({.hostile = true})), html(sample_history({.hostile = true}))})
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace neph::report
