#include <algorithm>
#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"
#include "report/golden_test.hpp"
#include "report/report.hpp"
#include "report/sample_comparison_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> three_metrics{"images_per_s", "latency_p99_ms", "peak_memory_bytes"};

std::size_t count_of(std::string_view needle, std::string_view text) {
  std::size_t count = 0;
  for (auto at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1)) ++count;
  return count;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(ComparisonText, IsGolden) {
  expect_golden("comparison.txt", text_summary(sample_comparison(), {.width = 100}));
  expect_golden(
      "comparison_metrics.txt",
      text_summary(sample_comparison({.configurations = 2, .metrics = three_metrics}), {.width = 110}));
  expect_golden("comparison_56.txt", text_summary(sample_comparison({.is_paired = false}), {.width = 56}));
}

TEST(ComparisonText, BeginsWithTheHeadline) {
  for (const auto& comparison : {sample_comparison(), refused_comparison(), Comparison{}})
    EXPECT_THAT(text_summary(comparison, {.width = 1000}), StartsWith(headline(comparison) + "\n"));
}

TEST(ComparisonText, ColoursTheAnswer) {
  const auto begin_of = [](const Comparison& comparison) {
    return text_summary(comparison, {.width = 100, .colour = true}).substr(0, 5);
  };
  auto comparison = sample_comparison();
  EXPECT_EQ(begin_of(comparison), "\x1b[31m");
  comparison.rows.erase(comparison.rows.begin());
  EXPECT_EQ(begin_of(comparison), "\x1b[33m") << "undecided";
  comparison.rows.erase(comparison.rows.begin());
  EXPECT_EQ(begin_of(comparison), "\x1b[32m") << "better";
  EXPECT_EQ(begin_of(refused_comparison()), "\x1b[33m");
}

TEST(ComparisonText, OfARefusalHasNoTableButWhatElseDiffers) {
  const auto text = text_summary(refused_comparison(), {.width = 200});
  EXPECT_THAT(text, AllOf(HasSubstr("engine: openvino 2025.1 → "), Not(HasSubstr("verdict"))));
}

TEST(ComparisonText, BearsHostileNamesAndNarrowTerminals) {
  const auto comparison = sample_comparison({.hostile = true});
  for (const std::size_t width : {0, 20, 80})
    EXPECT_THAT(text_summary(comparison, {.width = width}), Not(HasSubstr("\x1b")));
  EXPECT_LE(widest_line(text_summary(sample_comparison(), {.width = 100})), 100u);
}

TEST(ComparisonMarkdown, IsGolden) {
  expect_golden("comparison.md", markdown(sample_comparison()));
  expect_golden("comparison_hostile.md", markdown(sample_comparison({.hostile = true})));
  expect_golden("comparison_refused.md", markdown(refused_comparison()));
}

TEST(ComparisonMarkdown, FoldsWhatIsEquivalentWhereThereAreManyRows) {
  EXPECT_THAT(markdown(sample_comparison({.configurations = 12})), Not(HasSubstr("<details>")));
  const auto text = markdown(sample_comparison({.configurations = 13}));
  const auto fold = text.find("<details><summary>10 equivalent within 3 %</summary>\n\n| configuration |");
  ASSERT_NE(fold, std::string::npos) << text;
  EXPECT_EQ(count_of("\n| batch", text.substr(0, fold)), 3u);
  EXPECT_EQ(count_of("\n| batch", text.substr(fold)), 10u);
  EXPECT_THAT(text, HasSubstr("\n\n</details>\n"));
  auto all_same = sample_comparison({.configurations = 16});
  all_same.rows.erase(all_same.rows.begin(), all_same.rows.begin() + 3);
  EXPECT_THAT(markdown(all_same), AllOf(StartsWith("✅ **not worse: all 13"), HasSubstr("\n\n<details>")));
}

TEST(ComparisonMarkdown, SignsTheAnswer) {
  auto comparison = sample_comparison();
  EXPECT_THAT(markdown(comparison), StartsWith("❌ **worse: "));
  comparison.rows.erase(comparison.rows.begin());
  EXPECT_THAT(markdown(comparison), StartsWith("⚠️ **undecided: "));
  comparison.rows.erase(comparison.rows.begin());
  EXPECT_THAT(markdown(comparison), StartsWith("✅ **better: "));
  EXPECT_THAT(markdown(refused_comparison()), StartsWith("⚠️ **not comparable: "));
}

TEST(ComparisonJunit, IsGolden) {
  expect_golden("comparison.xml", junit(sample_comparison({.configurations = 4, .metrics = three_metrics})));
  expect_golden("comparison_hostile.xml", junit(sample_comparison({.hostile = true})));
  expect_golden("comparison_refused.xml", junit(refused_comparison()));
}

TEST(ComparisonJunit, CountsWhatItHas) {
  const auto text = junit(sample_comparison({.configurations = 4, .metrics = three_metrics}));
  EXPECT_THAT(text, HasSubstr("tests=\"12\" failures=\"3\" errors=\"0\" skipped=\"3\""));
  EXPECT_EQ(count_of("<testcase ", text), 12u);
  EXPECT_EQ(count_of("<failure ", text), 3u);
  EXPECT_EQ(count_of("<skipped ", text), 3u);
}

TEST(ComparisonJunit, NeverPassesWhereNothingWasCompared) {
  EXPECT_THAT(junit(refused_comparison()),
              AllOf(HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""),
                    HasSubstr("<error type=\"machine\" message=\"not comparable: ")));
  EXPECT_THAT(junit({}), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
}

TEST(ComparisonJunit, HasNothingThatXmlForbids) {
  const auto text = junit(sample_comparison({.hostile = true}));
  for (const auto* forbidden : {"\x1b", "\xEF\xBF\xBE", "\xEF\xBF\xBF", "<script", "]]>"})
    EXPECT_THAT(text, Not(HasSubstr(forbidden)));
}

TEST(HistoryText, IsGolden) {
  expect_golden("history.txt", text_summary(sample_history(), {.width = 100}));
  expect_golden("history_60.txt", text_summary(sample_history(), {.width = 60}));
}

TEST(HistoryText, NeverIsWiderThanTheTerminal) {
  for (const std::size_t width : {60, 80, 100})
    EXPECT_LE(widest_line(text_summary(sample_history({.experiments = 200}), {.width = width})), width);
  EXPECT_THAT(text_summary(sample_history({.experiments = 200}), {.width = 60}), HasSubstr("▁"));
}

TEST(HistoryText, SaysWhatWasFoundAndNoMore) {
  EXPECT_THAT(
      text_summary(sample_history({.experiments = 4}), {.width = 200}),
      StartsWith("Too few experiments to look for changes of images/s: 4 in 2 lines, and it takes 6.\n"));
  EXPECT_THAT(text_summary(sample_history({.experiments = 4}), {}), Not(HasSubstr("no change found")));
  EXPECT_THAT(text_summary(History{.metric = "images_per_s"}, {}), "No experiment has measured images/s.\n");
  EXPECT_THAT(
      text_summary(sample_history({.experiments = 9}), {.width = 200}),
      StartsWith(
          "batch 8 has been 5.1 % slower since experiment 7 (2026-11-07); what else changed there: openvino "
          "2025.1 → openvino 2026.4.\n"));
}

TEST(HistoryText, SaysOfEachLineThatNothingChanged) {
  auto history = sample_history();
  EXPECT_THAT(text_summary(history, {}), HasSubstr("; no change found in 14 experiments\n"));
  history.lines[1].points.resize(1);
  EXPECT_THAT(text_summary(history, {}), HasSubstr("latest: 21.4 images/s, 1 experiment\n"));
}

TEST(HistoryText, BearsEveryShape) {
  auto history = sample_history({.hostile = true});
  EXPECT_THAT(text_summary(history, {.width = 80}), Not(HasSubstr("\x1b")));
  history.lines[0].points.clear();
  history.lines[1].points[3].value.value = NAN;
  for (auto& point : history.lines[1].points) point.created = "";
  EXPECT_THAT(text_summary(history, {.width = 80}), HasSubstr("▁"));
}

}  // namespace
}  // namespace neph::report
