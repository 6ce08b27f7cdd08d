#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/columns.hpp"
#include "report/golden_test.hpp"
#include "report/quantity.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Document small_document() { return sample_document({.batches = {1, 8}, .modes = {"sync"}}); }

/// Of the lines that could have been broken: a long word, such as a path, stays whole so that it can be
/// copied.
std::size_t widest_line(const std::string& text, std::size_t width) {
  const auto has_long_word = [&](std::string line) {
    std::replace(line.begin(), line.end(), ' ', '\n');
    std::istringstream words(line);
    for (std::string word; std::getline(words, word);)
      if (display_width(word) + 2 > width) return true;
    return false;
  };
  std::size_t widest = 0, at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (!has_long_word(line)) widest = std::max(widest, display_width(line));
    at = end + 1;
  }
  return widest;
}

TEST(Csv, IsGolden) { expect_golden("cells.csv", csv(small_document())); }
TEST(Csv, IsGoldenForHostileText) {
  expect_golden("hostile.csv", csv(sample_document({.batches = {1, 8}, .modes = {"sync"}, .hostile = true})));
}
TEST(Csv, TellsItsResultsFromTheFactors) {
  const auto headings = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream line(text.substr(0, text.find('\n')));
    for (std::string each; std::getline(line, each, ',');) all.push_back(each);
    return all;
  };
  const auto features = [&](const std::vector<std::string>& all) {
    auto left = all;
    const auto results = column::results_in_export(all);
    std::erase_if(left, [&](const auto& each) { return std::ranges::count(results, each) > 0; });
    return left;
  };
  auto table = headings(csv(sample_document({.batches = {1, 8}, .modes = {"sync", "async"}})));
  EXPECT_THAT(features(table), testing::ElementsAre("batch", "precision", "mode"));
  EXPECT_THAT(features(headings(csv(load_document()))), Not(testing::Contains(HasSubstr("per_s"))));
  table.insert(table.begin(), "site");  // of somebody who put several together
  table.push_back("machine");
  EXPECT_THAT(features(table), testing::ElementsAre("site", "batch", "precision", "mode", "machine"));
  EXPECT_TRUE(column::results_in_export({"batch", "verdict", "seconds"}).empty()) << "another's table";
}
TEST(Csv, OfNothingIsNothingButALine) { EXPECT_EQ(csv(empty_document()), "\n"); }

TEST(Markdown, IsGolden) { expect_golden("report.md", markdown(small_document())); }
TEST(Markdown, IsGoldenForHostileText) {
  expect_golden("hostile.md",
                markdown(sample_document({.batches = {1, 8}, .modes = {"sync"}, .hostile = true})));
}
TEST(Markdown, BearsEveryShape) {
  EXPECT_THAT(markdown(empty_document()), HasSubstr("nothing can be said about speed"));
  EXPECT_THAT(markdown(failed_document()), HasSubstr("failed: batch 65536 needs"));
  EXPECT_THAT(markdown(Document{}), StartsWith("# "));
}

TEST(Markdown, ShowsWhatALoadMeasured) {
  auto document = load_document();
  const auto text = markdown(document);
  EXPECT_THAT(text,
              HasSubstr("| configuration | offered/s | answered/s | errors | p50 ms | p90 ms | p99 ms"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("images/s")), Not(HasSubstr("CPU cores"))));
  EXPECT_THAT(text, HasSubstr("over the repeats"));
  for (auto& cell : document.cells) cell.runs_ok = 1;
  EXPECT_THAT(markdown(document), AllOf(HasSubstr("within the one run"), Not(HasSubstr("over the repeats"))));
}

TEST(Csv, OfALoadHasNoPictures) {
  EXPECT_THAT(csv(load_document()), AllOf(HasSubstr("requests_per_s_low"), Not(HasSubstr("images_per_s"))));
}

TEST(TextTable, IsGoldenAt100Columns) {
  expect_golden("table_100.txt", text_table(small_document(), {.width = 100}));
}
TEST(TextTable, LosesColumnsWhenNarrow) {
  expect_golden("table_56.txt", text_table(small_document(), {.width = 56}));
}
TEST(TextTable, BecomesBlocksWhenVeryNarrow) {
  expect_golden("table_30.txt", text_table(small_document(), {.width = 30}));
}
TEST(TextTable, IsGoldenInColour) {
  expect_golden("table_colour.txt", text_table(small_document(), {.width = 100, .colour = true}));
}
TEST(TextTable, JoinsArchitectureAndProtocol) {
  expect_golden("served_100.txt", text_table(served_document(), {.width = 100}));
}
TEST(TextTable, ShowsRateTimesAndErrorsOfALoad) {
  expect_golden("load_100.txt", text_table(load_document(), {.width = 100}));
}
TEST(TextTable, NeverIsWiderThanTheTerminal) {
  const auto plain = sample_document(), malicious = sample_document({.hostile = true});
  for (std::size_t width = 20; width < 140; ++width)
    for (const auto* document : {&plain, &malicious})
      EXPECT_LE(widest_line(text_table(*document, {.width = width}), width), width);
}
TEST(TextTable, BearsEveryShape) {
  EXPECT_EQ(text_table({}, {}), "");
  EXPECT_THAT(text_table(failed_document(), {}), HasSubstr("failed"));
  EXPECT_THAT(text_table(single_run_document(), {}), HasSubstr("(n = 1)"));
  EXPECT_THAT(text_table(sample_document({.hostile = true}), {}), Not(HasSubstr("\x1b")));
}

TEST(TextSummary, IsGolden) {
  expect_golden("summary_100.txt", text_summary(small_document(), {.width = 100}));
  expect_golden("summary_56.txt", text_summary(small_document(), {.width = 56}));
  expect_golden("summary_colour.txt", text_summary(small_document(), {.width = 100, .colour = true}));
}
TEST(TextSummary, BearsEveryShape) {
  EXPECT_THAT(text_summary(failed_document(), {.width = 100}),
              HasSubstr("! failed: batch 65536 needs 36.8 GiB; 6 GiB are allowed, all 2 configurations"));
  EXPECT_THAT(text_summary(sample_document({.hostile = true}), {}), Not(HasSubstr("\x1b")));
}

TEST(ResultsJson, HasTheKeysThatAreDocumented) {
  const auto results = json(sample_document());
  EXPECT_EQ(results["format"], 1);
  EXPECT_EQ(results["experiment"]["seed"], 20260314);
  EXPECT_FALSE(results["experiment"].contains("machine"));
  EXPECT_EQ(results["machine"]["effective_cores"], 2.0);
  EXPECT_EQ(results["runs"].size(), 100u);
  for (const auto& cell : results["cells"]) {
    for (const auto* key : {"factors", "images_per_s", "latency_ms", "phases", "telemetry", "verdict",
                            "warnings", "repro", "answers_checksum", "stages_ms", "facts"})
      EXPECT_TRUE(cell.contains(key)) << key;
    for (const auto* key : {"value", "low", "high", "n"}) {
      EXPECT_TRUE(cell["images_per_s"][key].is_number()) << key;
      EXPECT_TRUE(cell["latency_ms"]["p99"][key].is_number()) << key;
    }
    EXPECT_EQ(cell["phases"]["measure"]["unit"], "s");
    EXPECT_TRUE(cell["latency_ms"]["p999"]["low"].is_null());
    const auto& cpu = cell["telemetry"]["process.cpu_user"];
    EXPECT_LE(cpu["minimum"], cpu["mean"]);
    EXPECT_LE(cpu["mean"], cpu["maximum"]);
    EXPECT_TRUE(cell["telemetry"]["machine.cpu_frequency"]["mean"].is_null());
    EXPECT_EQ(cell["telemetry"]["machine.cpu_frequency"]["unavailable"], "not exported by this hypervisor");
  }
}

TEST(ResultsJson, OfACellWithoutRunsSaysNull) {
  const auto cell = json(failed_document())["cells"][0];
  EXPECT_TRUE(cell["images_per_s"]["value"].is_null());
  EXPECT_EQ(cell["images_per_s"]["n"], 0);
  EXPECT_EQ(cell["telemetry"], Json::object());
}

}  // namespace
}  // namespace neph::report
