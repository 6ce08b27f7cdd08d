#include "report/comparison_words.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.hpp"
#include "report/sample_comparison_test.hpp"

namespace neph::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Outcome worse = Outcome::worse, better = Outcome::better, equivalent = Outcome::equivalent,
                  undecided = Outcome::undecided;

/// With nothing beside its rows.
Comparison of(std::vector<ComparedMetric> rows) {
  for (auto& row : rows) row.is_paired = true;
  return {.baseline = "a", .candidate = "b", .threshold = 0.03, .rows = std::move(rows)};
}

ComparedMetric rate(std::string name, double ratio, double half_width, Outcome outcome) {
  return sample_row(std::move(name), "images_per_s", ratio, half_width, outcome);
}

TEST(Headline, NamesWhatIsWorseFirstAndCountsTheOthers) {
  EXPECT_EQ(headline(sample_comparison()),
            "worse: 1 of 4 configurations is slower: batch 1, precision f32 by 4.1 % (95 % CI 2.9 to 5.3 %); "
            "1 other undecided, 1 better, 1 equivalent");
}

TEST(Headline, NamesTheLargestChangesAndCountsTheRest) {
  const auto text = headline(of({rate("a", 0.95, 0.01, worse), rate("b", 0.90, 0.01, worse),
                                 rate("c", 0.85, 0.01, worse), rate("d", 0.96, 0.01, worse)}));
  EXPECT_THAT(text,
              StartsWith("worse: all 4 configurations are slower: c by 15 % (95 % CI 14 to 16 %); b by"));
  EXPECT_THAT(text, EndsWith("; 1 more"));
}

TEST(Headline, OfOneRowSaysNoName) {
  EXPECT_EQ(headline(of({rate("a", 0.95, 0.01, worse)})), "worse: 5.0 % slower (95 % CI 4.0 to 6.0 %)");
  EXPECT_EQ(headline(of({rate("a", 1.05, 0.01, better)})), "better: 5.0 % faster (95 % CI 4.0 to 6.0 %)");
  EXPECT_EQ(headline(of({rate("a", 1.001, 0.005, equivalent)})),
            "not worse: equivalent within 3 % (95 % CI 0.40 % slower to 0.60 % faster)");
  EXPECT_EQ(headline(of({rate("a", 1, 0, equivalent)})),
            "not worse: equivalent within 3 % (95 % CI 0.00 to 0.00 %)")
      << "a file and itself";
}

TEST(Headline, OfWhatIsEquivalentShowsTheIntervalThatDecides) {
  auto row = rate("a", 0.999, 0.033, equivalent);
  row.ratio_90 = {.value = 0.999, .low = 0.972, .high = 1.026, .n = 12};
  EXPECT_EQ(headline(of({row})), "not worse: equivalent within 3 % (90 % CI 2.8 % slower to 2.6 % faster)");
  EXPECT_EQ(interval_text(row), "-2.8 to +2.6 % (90 %)");
  row.outcome = undecided;
  EXPECT_EQ(interval_text(row), "-3.4 to +3.2 %");
}

TEST(Headline, SaysEachMetricsDirectionInItsOwnWords) {
  EXPECT_EQ(headline(sample_comparison(
                {.configurations = 1, .metrics = {"images_per_s", "latency_p99_ms", "peak_memory_bytes"}})),
            "worse: all 3 metrics: p99 latency 4.3 % longer (95 % CI 3.1 to 5.5 %); peak memory 4.3 % more "
            "(95 % CI 3.1 to 5.5 %); images/s 4.1 % slower (95 % CI 2.9 to 5.3 %)");
  for (const auto& [metric, said] :
       std::vector<std::pair<std::string, std::string>>{{"requests_per_s", "slower"},
                                                        {"command_s", "shorter"},
                                                        {"response_p99_ms", "shorter"},
                                                        {"cpu_ms_per_item", "less"},
                                                        {"cost_per_million", "less"},
                                                        {"test_accuracy", "lower"},
                                                        {"test_loss", "lower"}}) {
    auto row = sample_row("a", metric, 0.9, 0.01, worse);
    EXPECT_EQ(headline(of({row})), "worse: 10 % " + said + " (95 % CI 9.0 to 11 %)") << metric;
  }
}

TEST(Headline, OfWhatIsUndecidedSaysWhatCouldHaveBeenMissed) {
  auto row = rate("a", 0.992, 0.02, undecided);
  row.smallest_effect = 0.062;
  row.more = 26;
  EXPECT_EQ(headline(of({row})),
            "undecided: 0.80 % slower (95 % CI 2.8 % slower to 1.2 % faster); a difference below 6.2 % could "
            "have been missed; about 14 more pairs would tell");
  auto stored = of({row});
  stored.rows[0].is_paired = false;
  EXPECT_THAT(headline(stored), EndsWith("; about 26 runs of each side would tell"));
  stored.rows[0].more.reset();
  EXPECT_THAT(headline(stored), EndsWith("could have been missed")) << "no number is known, and none is said";
}

TEST(Headline, OfSeveralUndecidedSaysTheMostThatIsNeeded) {
  auto one = rate("a", 0.992, 0.02, undecided), other = rate("b", 1.01, 0.05, undecided);
  one.more = 26, other.more = 40;
  EXPECT_EQ(
      headline(of({one, other, rate("c", 1.1, 0.01, better)})),
      "undecided: 2 of 3 configurations (b; a); a difference below 10 % could have been missed; about 28 "
      "more pairs would tell; 1 other better");
}

TEST(Headline, SaysWhyAnIntervalWithoutZeroDecidesNothing) {
  auto row = rate("a", 0.95, 0.04, undecided);
  row.p_value = 0.08;
  EXPECT_THAT(headline(of({row, rate("b", 1, 0.01, equivalent)})),
              HasSubstr("(a); significant alone, but not among 2 results (p = 0.080)"));
  row.p_value = NAN;
  EXPECT_THAT(headline(of({row})), HasSubstr("no look at the pairs has shown it yet"));
  auto stored = of({row});
  stored.rows[0].is_paired = false, stored.rows[0].p_value = 0.01;
  EXPECT_THAT(headline(stored), HasSubstr("a difference that this machine's noise could make as well"));
}

TEST(Headline, NeverCallsUndecidedNoDifference) {
  auto row = rate("a", 0.992, 0.02, undecided);
  for (const auto effect : {std::nan(""), 0.0, 0.04, 3.0}) {
    row.smallest_effect = effect;
    EXPECT_THAT(headline(of({row})), Not(HasSubstr("no difference")));
  }
  EXPECT_EQ(headline(of({})), "undecided: nothing was compared");
}

TEST(Headline, SaysWhyThereIsNoInterval) {
  auto row = rate("a", 0.992, 0.02, undecided);
  row.ratio.low.reset(), row.ratio.high.reset();
  auto comparison = of({row});
  auto& only = comparison.rows[0];
  only.ratio.n = 4, only.more = 12;
  EXPECT_EQ(
      headline(comparison),
      "undecided: 0.80 % slower; 4 pairs give no interval: measure more; about 8 more pairs would tell");
  only.ratio.n = 1, only.more.reset();
  EXPECT_THAT(headline(comparison), EndsWith("; 1 pair gives no interval: measure more"));
  only.is_paired = false;
  EXPECT_THAT(headline(comparison), EndsWith("; no interval is known: measure it again"))
      << "a source may not say how many runs there were";
  only.candidate.n = 1;
  EXPECT_THAT(headline(comparison), EndsWith("; one run of a side gives no interval: measure it again"));
  only.ratio.value = NAN;
  EXPECT_EQ(headline(comparison), "undecided: no ratio is known");
}

TEST(Headline, OfEquivalenceNamesTheThreshold) {
  auto comparison = of({rate("a", 1.001, 0.005, equivalent), rate("b", 1, 0.005, equivalent)});
  EXPECT_EQ(headline(comparison), "not worse: both configurations are equivalent within 3 %");
  comparison.threshold = 0.005;
  EXPECT_THAT(headline(comparison), EndsWith("within 0.5 %"));
}

TEST(Headline, SaysThatTheMachineWasDisturbedUnderSidesMeasuredApart) {
  auto comparison = of({rate("a", 0.95, 0.01, worse)});
  comparison.confounds.push_back(
      {.what = "busy_machine", .message = "candidate: busy_machine: 1.2 of 2 cores"});
  EXPECT_THAT(headline(comparison), Not(HasSubstr("busy"))) << "both sides of a pair feel it";
  comparison.rows[0].is_paired = false;
  EXPECT_THAT(headline(comparison), EndsWith("; but the machine was busy or slowed"));
  comparison.rows[0].outcome = undecided;
  EXPECT_THAT(headline(comparison), EndsWith("; but the machine was busy or slowed"));
}

TEST(Headline, OfARefusalSaysWhatDiffersAndWhatToDo) {
  EXPECT_EQ(headline(refused_comparison()),
            "not comparable: machine: Xeon 8488C, 2 cores → EPYC 9R14, 4 cores; measure both on one machine: "
            "neph ab, or accept it: --accept machine");
}

}  // namespace
}  // namespace neph::report
