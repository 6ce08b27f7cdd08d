#include "report/container.hpp"

#include <gmock/gmock.h>

#include "report/charts/drawn_test.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TrainingOptions both(double container) { return {.places = {"process", "docker"}, .container = container}; }

TEST(Container, CostsWhatItIsMadeToCost) {
  const auto document = training_document(both(1.03));
  const auto costs = container_costs(document);
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_EQ(costs[1].name, "threads 2");
  const auto all = container_cost_over_all(document, costs);
  EXPECT_NEAR(all.value, 1.03, 0.01);
  EXPECT_LT(*all.low, *all.high);
  const auto said = container_findings(document);
  EXPECT_THAT(said[0], AllOf(StartsWith("A container costs "), HasSubstr("over 3 pairs of configurations")));
  EXPECT_THAT(said, Contains(StartsWith("A start in a container takes 400 ms longer")));
}

TEST(Container, OfNoCostSaysWhatWouldHaveBeenSeen) {
  const auto document = training_document(both(1));
  const auto all = container_cost_over_all(document, container_costs(document));
  ASSERT_LT(*all.low, 1);
  ASSERT_GT(*all.high, 1);
  EXPECT_THAT(container_findings(document)[0], AllOf(StartsWith("A container has no significant cost: "),
                                                     HasSubstr(" % more time (95 % CI -")));
}

TEST(Container, CanBeFaster) {
  EXPECT_THAT(container_findings(training_document(both(0.8)))[0],
              AllOf(StartsWith("In a container it takes 2"), HasSubstr(" % less time (95 % CI 1")));
}

TEST(Container, OfACommandCountsItsTime) {
  auto options = both(1.1);
  options.step_s = 0.6;  // the start is little
  const auto document = command_document(options);
  EXPECT_NEAR(container_cost_over_all(document, container_costs(document)).value, 1.1, 0.02);
}

TEST(Container, IsSeenFromTheHostToo) {
  auto document = training_document(both(1));
  for (const auto& said : container_findings(document)) EXPECT_THAT(said, Not(HasSubstr("host")));
  auto& cell = document.cells.back();
  cell.telemetry.push_back({.target = "host_container", .name = "cpu", .unit = "cores", .mean = 4.25});
  cell.telemetry.push_back(
      {.target = "host_container", .name = "memory_peak", .unit = "bytes", .mean = 1e8, .max = 512 << 20});
  EXPECT_THAT(
      container_findings(document),
      Contains("Seen from the host, the container of threads 4, in docker used 4.25 cores and at most "
               "512 MiB; seen from inside, its processes used 4.00 cores and at most 191 MiB."));
}

TEST(Container, OneRepeatSaysNothingAboutChance) {
  auto options = both(1.05);
  options.repeat = 1;
  options.cores = {2};
  const auto said = container_findings(training_document(options));
  EXPECT_THAT(said[0], AllOf(StartsWith("In a container it took "), HasSubstr("one repeat")));
}

TEST(Container, IsNothingWhereNothingRanInOne) {
  EXPECT_TRUE(container_costs(training_document()).empty());
  EXPECT_TRUE(container_findings(training_document({.places = {"docker"}})).empty());
  EXPECT_TRUE(draw("container", training_document()).panels.empty());
  auto document = training_document(both(1.1));
  for (auto& run : document.runs)
    if (run.cell % 2 == 1) run.status = RunStatus::failed;
  EXPECT_TRUE(container_costs(document).empty()) << "what failed has no time";
}

TEST(ContainerChart, HasAPointForEachPairAndOneForAll) {
  const auto drawing = draw("container", training_document(both(1.03)));
  ASSERT_EQ(drawing.panels.size(), 1U);
  const auto rows = rows_of(drawing.panels[0]);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["label"], "threads 1");
  EXPECT_EQ(rows[3]["label"], "over all 3 pairs");
  EXPECT_NEAR(rows[3]["value"], 3, 1);
}

}  // namespace
}  // namespace neph::report
