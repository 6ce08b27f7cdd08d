#include "compare/history.hpp"

#include <gmock/gmock.h>

#include "compare/sample_source_test.hpp"
#include "core/random.hpp"

namespace neph::compare {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

PastExperiment past(std::int64_t id, double speed, std::string engine = "openvino 1") {
  auto configuration = configuration_of("batch 8", {speed, speed * 1.01, speed * 0.99});
  configuration.question = "resnet50, batch 8";
  configuration.facts["engine"] = std::move(engine);
  return {.id = id,
          .created = "2026-11-" + std::to_string(10 + id) + "T08:00:00Z",
          .version = "0.1.0",
          .source = source_with("experiment", {configuration})};
}

TEST(History, FindsWhereAnswersBeginToLieElsewhere) {
  std::vector<PastExperiment> experiments;
  Random random(1);
  for (int i = 0; i < 16; ++i)
    experiments.push_back(
        past(i, (i < 9 ? 100 : 93) * std::exp(0.005 * random.normal()), i < 9 ? "openvino 1" : "openvino 2"));
  const auto history = history_of(experiments, "speed");
  ASSERT_TRUE(history) << history.error().text();
  EXPECT_EQ(history->metric, "images_per_s");
  EXPECT_TRUE(history->higher_is_better);
  ASSERT_THAT(history->lines, SizeIs(1));
  const auto& line = history->lines[0];
  EXPECT_THAT(line.points, SizeIs(16));
  ASSERT_THAT(line.changes, SizeIs(1));
  EXPECT_EQ(line.changes[0].point, 9);
  EXPECT_NEAR(line.changes[0].ratio, 0.93, 0.01);
  EXPECT_EQ(line.changes[0].with, "openvino 1 → openvino 2");
}

TEST(History, FindsNothingInTooFew) {
  std::vector<PastExperiment> experiments;
  for (int i = 0; i < 5; ++i) experiments.push_back(past(i, i < 3 ? 100 : 50));
  const auto history = history_of(experiments, "images_per_s");
  ASSERT_TRUE(history);
  EXPECT_THAT(history->lines.at(0).changes, IsEmpty());
  EXPECT_THAT(history->notes, SizeIs(1));
}

TEST(History, KeepsMachinesAndQuestionsApart) {
  std::vector<PastExperiment> experiments{past(1, 100), past(2, 100), past(3, 50)};
  experiments[1].source.configurations[0].facts["machine"] = "that one";
  experiments[2].source.configurations[0].question = "resnet50, batch 16";
  const auto history = history_of(experiments, "speed");
  ASSERT_TRUE(history);
  ASSERT_THAT(history->lines, SizeIs(3));
  EXPECT_EQ(history->lines[0].configuration, "resnet50, batch 8") << "one of two of a name on a machine";
  EXPECT_EQ(history->lines[1].configuration, "batch 8");
}

TEST(History, ShowsWhatTheExperimentsOwnTablesShow) {
  auto one = past(1, 100);
  one.source.configurations[0].figures["images_per_s"] = {.value = 101.5, .low = 99, .high = 104, .n = 3};
  const auto history = history_of({one}, "speed");
  ASSERT_TRUE(history);
  EXPECT_EQ(history->lines.at(0).points.at(0).value.value, 101.5);
}

TEST(History, SaysWhichMetricsThereAre) {
  EXPECT_THAT(history_of({past(1, 100)}, "nope").error().text(),
              HasSubstr("no metric 'nope' in these experiments; there are speed, images_per_s"));
  const auto history = history_of({past(1, 100)}, "p99");
  ASSERT_FALSE(history);
  EXPECT_THAT(history.error().text(), HasSubstr("images_per_s"));
}

}  // namespace
}  // namespace neph::compare
