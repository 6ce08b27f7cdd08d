#include "report/notices.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

CellSummary cell(std::int64_t batch, std::vector<Warning> warnings) {
  CellSummary made{.runs_ok = 5, .warnings = std::move(warnings)};
  made.cell.index = batch;
  made.cell.label = fmt::format("batch {}", batch);
  return made;
}

Warning busy(double cores, int runs) {
  return {.code = WarningCode::busy_machine,
          .message = fmt::format("other processes used {:.2f} of 2 cores (in {} of 5 runs)", cores, runs),
          .advice = "stop them"};
}

std::vector<CellSummary> busy_cells() {
  return {cell(1, {busy(1.1, 5)}), cell(2, {busy(1.5, 3)}), cell(4, {busy(1.0, 4)})};
}

TEST(Notices, AreOneForEachCauseWithTheRangeOfItsFigures) {
  const auto found = notices(busy_cells());
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].weight, Weight::doubt);
  EXPECT_EQ(found[0].advice, "stop them");
  ASSERT_THAT(found[0].seen, SizeIs(1));
  EXPECT_EQ(found[0].seen[0].message, "other processes used 1.00 to 1.50 of 2 cores (in 3 to 5 of 5 runs)");
  EXPECT_THAT(found[0].seen[0].labels, ElementsAre("batch 1", "batch 2", "batch 4"));
}

TEST(Notices, SayHowManyCellsTheyConcern) {
  const auto cells = busy_cells();
  const auto all = notices(cells)[0];
  EXPECT_EQ(extent_of(all, 3), "all 3 configurations");
  EXPECT_EQ(extent_of(all, 9), "3 of 9 configurations");
  EXPECT_EQ(names_of(all.seen[0], 3), "all 3 configurations");
  EXPECT_EQ(names_of(all.seen[0], 9), "batch 1; batch 2; batch 4");
  const auto one = notices({cells[0]})[0];
  EXPECT_EQ(extent_of(one, 9), "'batch 1'");
  EXPECT_EQ(extent_of(one, 1), "");
}

TEST(Notices, OfOtherWordsAndTheSameAdviceStayOneNotice) {
  const auto outlier = [](int repeat) {
    return Warning{WarningCode::outlier_runs, fmt::format("far off in repeat #{} with 8.1", repeat), "look"};
  };
  const auto found = notices({cell(1, {outlier(2)}), cell(2, {outlier(3)}), cell(4, {outlier(2)})});
  ASSERT_THAT(found, SizeIs(1));
  ASSERT_THAT(found[0].seen, SizeIs(2));
  EXPECT_THAT(found[0].seen[0].labels, ElementsAre("batch 1", "batch 4"));
  EXPECT_THAT(found[0].seen[1].labels, ElementsAre("batch 2"));
}

TEST(Notices, CausesThatNeedOtherActionsStandApart) {
  const auto found = notices({cell(1, {{WarningCode::throttled, "the quota held it", "raise the quota"}}),
                              cell(2, {{WarningCode::throttled, "heat held it", "cool the machine"}})});
  EXPECT_THAT(found, SizeIs(2));
}

TEST(Notices, TheGravestComeFirst) {
  auto cells = busy_cells();
  cells[0].warnings.insert(cells[0].warnings.begin(),
                           {WarningCode::closed_loop, "a closed loop", "", Weight::hint});
  cells[2].warnings.push_back({WarningCode::pictures_failed, "all failed", "", Weight::voids});
  cells[1].runs_failed = 1;
  cells[1].failures = {"killed by signal 9"};
  std::vector<std::string> codes;
  for (const auto& notice : notices(cells)) codes.push_back(notice.code);
  EXPECT_THAT(codes, ElementsAre("failed", "pictures_failed", "busy_machine", "closed_loop"));
}

TEST(Notices, EachReasonOfAFailureIsACauseOfItsOwn) {
  auto cells = busy_cells();
  cells[0].failures = {"ended with exit code 1 without a result", "batch 1 needs 3 GiB"};
  cells[1].failures = {"ended with exit code 139 without a result", "batch 2 needs 6 GiB"};
  cells[2].failures = {"ended with exit code 1 without a result"};
  const auto found = notices(cells);
  ASSERT_THAT(found, SizeIs(5));
  EXPECT_EQ(found[0].seen[0].message, "ended with exit code 1 without a result");
  EXPECT_THAT(found[0].seen[0].labels, ElementsAre("batch 1", "batch 4"));
  EXPECT_FALSE(found[0].weight);
  EXPECT_EQ(found[1].seen[0].message, "batch 1 needs 3 GiB");
  EXPECT_EQ(found[2].seen[0].message, "ended with exit code 139 without a result");
  EXPECT_EQ(found[3].seen[0].message, "batch 2 needs 6 GiB");
}

TEST(Notices, AreNoneWhereNothingSpeaksAgainstTheNumbers) { EXPECT_THAT(notices({cell(1, {})}), IsEmpty()); }

Document busy_document() {
  auto document = sample_document({.batches = {1, 8}, .modes = {"sync"}});
  for (auto& each : document.cells) {
    each.failures.clear();
    each.warnings = {busy(1.5, 5)};
  }
  return document;
}

TEST(TextSummary, HasALineForEachCauseWithItsAdviceWhereThatFits) {
  const auto document = busy_document();
  const std::string line =
      "\n! busy machine: other processes used 1.50 of 2 cores (in 5 of 5 runs), all 4 configurations";
  EXPECT_THAT(text_summary(document, {.width = 140}), HasSubstr(line + "; stop them\n"));
  const auto narrower = text_summary(document, {.width = 95});
  EXPECT_THAT(narrower, HasSubstr(line + "\n(in full, and what to do about them: on the page)\n"));
}

TEST(TextSummary, CutsAMessageAndNotTheCountToALine) {
  auto document = busy_document();
  document.cells[0].warnings.push_back(
      {WarningCode::stolen, "the hypervisor took 3.1 % of the time that was wanted", "move"});
  EXPECT_THAT(text_summary(document, {.width = 60}),
              HasSubstr("\n! busy machine: other processes used …, all 4 configurations\n"
                        "! steal: the hypervisor took 3.1 …, 'batch 1, precision f32'\n"
                        "(in full, and what to do about them: on the page)\n"));
  EXPECT_THAT(text_summary(document, {.width = 45}),
              HasSubstr("\n! steal: the hypervis…, 1 of 4 configurations\n"));
}

TEST(TextSummary, SaysTheFindingsBelowTheTable) {
  const auto document = sample_document({.batches = {1, 8}, .modes = {"sync"}});
  const auto text = text_summary(document, {.width = 200});
  const auto table = text_table(document, {.width = 200});
  EXPECT_THAT(text, StartsWith(table + "\nThe fastest of 3 configurations is batch 1, precision bf16: 44.7"));
  EXPECT_THAT(text, HasSubstr("\nThe CPU was not the limit"));
  EXPECT_THAT(text, Not(HasSubstr("on the page)\n\n!")));
  EXPECT_THAT(text, Not(HasSubstr("is doubtful"))) << "the notices below say why";
}

TEST(TextSummary, SaysNoMoreOfThemThanAFewLinesHold) {
  const auto text = text_summary(sample_document({.batches = {1, 8}, .modes = {"sync"}}), {.width = 60});
  const auto table = text_table(sample_document({.batches = {1, 8}, .modes = {"sync"}}), {.width = 60});
  const auto said = text.substr(table.size() + 1, text.find("\n\n!") - table.size());
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 7) << said;
  EXPECT_THAT(said, HasSubstr("more findings on the page)\n"));
}

TEST(TextSummary, NeverIsWiderThanTheTerminalButForNames) {
  const auto document = busy_document();
  for (std::size_t width = 20; width < 140; ++width) {
    std::istringstream lines(text_summary(document, {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(TextSummary, OfNothingIsNothing) { EXPECT_EQ(text_summary(empty_document(), {}), ""); }

}  // namespace
}  // namespace neph::report
