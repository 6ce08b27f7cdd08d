#include "price/work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/facts.hpp"
#include "record/metrics.hpp"

namespace neph::price {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

CellSummary cell_with(std::map<std::string, Estimate> phases) {
  CellSummary cell{.cell = {.label = "batch 8"}, .runs_ok = 3, .phases_s = std::move(phases)};
  cell.cell.spec = Json{{"epochs", 10}};
  return cell;
}

std::vector<BillStage> stages_of(const Work& work) {
  std::vector<BillStage> stages;
  for (const auto& each : work.stages) stages.push_back(each.stage);
  return stages;
}

const Estimate& seconds_of(const Work& work, BillStage stage) {
  for (const auto& each : work.stages)
    if (each.stage == stage) return each.seconds;
  static const Estimate none;
  return none;
}

TEST(Work, HasEachStageOnceAndNoneThatWasNotThere) {
  const auto work = work_of(cell_with({{"measure", {.value = 20}},
                                       {"process_start", {.value = 0.25}},
                                       {"engine_load", {.value = 0.5}},
                                       {"page_cache", {.value = 2}}}))
                        .value();
  EXPECT_EQ(work.name, "batch 8");
  EXPECT_THAT(stages_of(work),
              testing::ElementsAre(BillStage::data_load, BillStage::start, BillStage::learn));
  EXPECT_EQ(seconds_of(work, BillStage::start).value, 0.75);
}

TEST(Work, AddsIntervalsInQuadratureOnEachSide) {
  const auto work = work_of(cell_with({{"engine_load", {.value = 10, .low = 7, .high = 11, .n = 5}},
                                       {"model_load", {.value = 20, .low = 16, .high = 20, .n = 3}}}))
                        .value();
  const auto start = seconds_of(work, BillStage::start);
  EXPECT_EQ(start.value, 30);
  EXPECT_EQ(start.low, 25) << "3 and 4 make 5";
  EXPECT_EQ(start.high, 31) << "1 and 0 make 1";
  EXPECT_EQ(start.n, 3);
}

TEST(Work, HasNoIntervalWhereAPartHasNone) {
  const auto work = work_of(cell_with({{"engine_load", {.value = 10, .low = 7, .high = 11}},
                                       {"model_load", {.value = 20}}}))
                        .value();
  EXPECT_FALSE(seconds_of(work, BillStage::start).low);
  EXPECT_EQ(stretches(work, Bound::low)[0].length, seconds(30));
  EXPECT_EQ(stretches(work, Bound::high)[0].length, seconds(30));
}

CellSummary some_steps() {
  auto cell = cell_with({{"first_step", {.value = 2}},
                         {"warmup", {.value = 3}},
                         {"learn", {.value = 5}},
                         {"verify", {.value = 0.5}},
                         {"save", {.value = 1}}});
  cell.figures["training_s"] = {.value = 600, .low = 570, .high = 630, .n = 50};
  cell.figures["verify_s"] = {.value = 4, .low = 3.5, .high = 4.5, .n = 6};
  set(cell.facts, fact::training_time, "extrapolated from 50 steps and 10 steps of verifying");
  return cell;
}

TEST(Work, OfSomeStepsIsThatOfTheWholeTraining) {
  const auto work = work_of(some_steps()).value();
  EXPECT_EQ(seconds_of(work, BillStage::start).value, 5) << "the first steps are of the training";
  EXPECT_EQ(seconds_of(work, BillStage::verify).value, 40) << "ten epochs";
  EXPECT_EQ(seconds_of(work, BillStage::learn).value, 600 - 40 - 5) << "together they are training_s";
  EXPECT_EQ(seconds_of(work, BillStage::learn).low, 570 - 40 - 5);
  EXPECT_EQ(seconds_of(work, BillStage::learn).high, 630 - 40 - 5);
  EXPECT_EQ(seconds_of(work, BillStage::save).value, 1);
}

TEST(Work, OfAWholeTrainingIsAsItWasMeasured) {
  auto cell = some_steps();
  cell.facts.clear();
  set(cell.facts, fact::training_time, "measured");
  EXPECT_EQ(seconds_of(work_of(cell).value(), BillStage::learn).value, 5);
}

TEST(Work, KnowsThatItIsExtrapolatedAlsoWhereRunsDiffer) {
  auto cell = some_steps();
  cell.facts.clear();  // runs share no such fact
  EXPECT_EQ(seconds_of(work_of(cell).value(), BillStage::learn).value, 5);
  cell.cell.spec["steps"] = 50;
  EXPECT_EQ(seconds_of(work_of(cell).value(), BillStage::learn).value, 555);
  cell.cell.spec.erase("steps");
  cell.warnings.push_back({.code = WarningCode::stopped_early});
  EXPECT_EQ(seconds_of(work_of(cell).value(), BillStage::learn).value, 555);
}

TEST(Work, OfFailedRunsIsNotKnown) {
  auto cell = cell_with({});
  cell.runs_ok = 0;
  EXPECT_THAT(work_of(cell).error().text(), HasSubstr("batch 8: no run of it ended well"));
}

TEST(Work, GivesStretchesAtItsEnds) {
  const Work work{.stages = {{.stage = BillStage::learn, .seconds = {.value = 2, .low = 1.5, .high = 3}},
                             {.stage = BillStage::save, .seconds = {.value = 1}, .known = Known::assumed}}};
  EXPECT_EQ(stretches(work, Bound::value)[0].length, seconds(2));
  EXPECT_EQ(stretches(work, Bound::low)[0].length, milliseconds(1500));
  EXPECT_EQ(stretches(work, Bound::high)[0].length, seconds(3));
  EXPECT_EQ(stretches(work, Bound::high)[1].length, seconds(1));
  EXPECT_EQ(stretches(work, Bound::high)[1].known, Known::assumed);
}

}  // namespace
}  // namespace neph::price
