#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/advice_tables.hpp"
#include "report/page/written_test.hpp"
#include "report/sample_advice_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(AdviceText, AnswersFirstAndSaysTheRest) {
  const auto text = text_summary(sample_advice(), {.width = 120, .limit = 10});
  EXPECT_THAT(text, StartsWith("The cheapest within 2 h is 8 threads on aws/c5@us-east-1: 0.41 USD.\n"));
  for (const auto* needed :
       {"recommended", "on the front", "too slow (1): 4 threads on aws/c5@us-east-1: 3 min slower",
        "offers, price unknown (1,200): aws/mac1.metal; and 1,199 more", "8 cores: 50 % slower than 16",
        "This rests on:\nAssumed, not measured"})
    EXPECT_THAT(text, HasSubstr(needed));
}

TEST(AdviceText, ShowsTheFrontFirstWhereItIsCut) {
  const auto advice = sample_advice();
  EXPECT_EQ(shown_candidates(advice, 2), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(shown_candidates(advice, 3).back(), 2u);
  EXPECT_THAT(text_summary(advice, {.width = 120, .limit = 2}),
              AllOf(HasSubstr("and 3 more candidates: --limit N shows more"), HasSubstr("16 threads")));
}

TEST(AdviceText, TellsTheChanceOfWhatWasAsked) {
  auto advice = sample_advice();
  EXPECT_THAT(text_summary(advice, {.width = 160}),
              AllOf(HasSubstr("cheapest"), Not(HasSubstr("  fastest"))));
  advice.deadline_s.reset();
  EXPECT_TRUE(is_for_speed(advice)) << "a budget alone asks for the fastest";
  EXPECT_EQ(candidates_table(advice, 9).headings.at(7), "fastest");
  EXPECT_THAT(written(html(advice)), HasSubstr("The fastest"));
}

TEST(AdviceText, TellsNoChanceAsCertain) {
  EXPECT_EQ(chance_text(1.0, 1000), "> 99.0 %");
  EXPECT_EQ(chance_text(1.0, 10'000), "> 99.9 %");
  EXPECT_EQ(chance_text(0.9999, 10'000), "> 99.9 %");
  EXPECT_EQ(chance_text(0.0, 1000), "< 1 %");
  EXPECT_EQ(chance_text(0.25, 1000), "25 %");
  EXPECT_EQ(chance_text(std::nullopt, 1000), "–");
}

TEST(AdviceText, TellsOfLessThanACentWhatAThousandCost) {
  auto advice = sample_advice();
  advice.candidates[0].cost = usd("0.00288");
  advice.candidates[1].cost = usd("0.00287");
  advice.bill[0].amount = usd("0.0001");
  const auto text = text_summary(advice, {.width = 160});
  EXPECT_THAT(text, AllOf(HasSubstr("cost of 1,000"), HasSubstr("2.88 USD"), HasSubstr("2.87 USD")));
  EXPECT_THAT(written(html(advice)),
              AllOf(HasSubstr("cost of 1,000"), HasSubstr("0.10 USD"), Not(HasSubstr("0.00288 USD"))));
}

TEST(AdviceText, TellsNoSpreadOfDust) {
  auto advice = sample_advice();
  auto& first = advice.candidates[0];
  first.cost_low = first.cost_high = first.cost;
  first.seconds.low = first.seconds.high = first.seconds.value;
  EXPECT_EQ(candidates_table(advice, 9).rows.at(0).at(3), "");
  EXPECT_EQ(candidates_table(advice, 9).rows.at(0).at(5), "");
  first.seconds.high = 1.0000001 * first.seconds.value;
  EXPECT_EQ(candidates_table(advice, 9).rows.at(0).at(3), "< 0.1 %");
}

TEST(AdviceText, LetsNoNameSteerTheTerminal) {
  EXPECT_THAT(text_summary(sample_advice("\x1b[31mred"), {}), Not(HasSubstr("\x1b")));
}

TEST(AdviceText, OfARateHasMachines) {
  auto advice = sample_advice();
  advice.rate_per_s = 200;
  for (auto& candidate : advice.candidates) {
    candidate.machines = 5;
    candidate.per_million = usd("0.694444");
    candidate.sustained_per_s = {.value = 40, .n = 1};
  }
  EXPECT_THAT(text_summary(advice, {.width = 160}), AllOf(HasSubstr("machines"), HasSubstr("0.694 USD")));
}

TEST(AdvicePage, HasChartsAndTables) {
  const auto page = written(html(sample_advice()));
  for (const auto* needed : {"<h1>Which machine to rent</h1>", "Cost against time", "Cost by cores and GPUs",
                             "What is paid for", "in a container", "Why not the others", "boot"})
    EXPECT_THAT(page, HasSubstr(needed));
}

TEST(AdvicePage, LetsNoTextBecomeMarkup) {
  const auto hostile = written(html(sample_advice("<script>alert('x')</script>")));
  EXPECT_THAT(hostile, Not(HasSubstr("alert('x')</script")));
  EXPECT_EQ(count(hostile, "<script"), count(written(html(sample_advice())), "<script"));
}

}  // namespace
}  // namespace neph::report
