#include "report/architecture_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// Three runs of a way to reach the network, batch 1, synchronously.
struct Told {
  std::string architecture, protocol;
  std::vector<double> speeds;
  double cpu_ms;
  bool independent = false;
};

Document document_of(const std::vector<Told>& all) {
  Document document;
  document.experiment.spec = Json{{"model", "m.onnx"}};
  for (const auto& told : all) {
    CellSummary cell{.runs_ok = 3};
    cell.cell.index = std::ssize(document.cells);
    cell.cell.factors = Json{{"architecture", told.architecture}};
    if (!told.protocol.empty()) {
      cell.cell.factors["protocol"] = told.protocol;
      cell.cell.factors["client"] = told.independent ? "independent" : "application";
    }
    double sum = 0;
    for (std::size_t i = 0; i < told.speeds.size(); ++i) {
      Run run{.cell = cell.cell.index, .repeat = static_cast<std::int64_t>(i)};
      run.result.figures = {{"images_per_s", "images/s", {.value = told.speeds[i], .n = 1}}};
      // A tenth of a percent from run to run, so that intervals are not a point.
      const double luck = 1 + 1e-3 * static_cast<double>((i + document.cells.size()) % 3) - 1e-3;
      const double cores = told.cpu_ms * luck * 1e-3 * told.speeds[i];
      if (told.protocol.empty())
        run.result.telemetry = {{.target = "process", .name = "cpu", .unit = "cores", .mean = cores}};
      else
        run.result.telemetry = {{.target = "client", .name = "cpu", .unit = "cores", .mean = cores / 2},
                                {.target = "server", .name = "cpu", .unit = "cores", .mean = cores / 2}};
      document.runs.push_back(std::move(run));
      sum += told.speeds[i];
    }
    cell.figures["images_per_s"] = {.value = sum / 3, .low = sum / 3 - 1, .high = sum / 3 + 1, .n = 3};
    document.cells.push_back(std::move(cell));
  }
  return document;
}

TEST(ArchitectureFindings, SayWhatTheApplicationAroundAClientCosts) {
  const auto found = findings(document_of({{"in-process", "", {100, 101, 99}, 10},
                                           {"local", "http", {90, 91, 90}, 11},
                                           {"local", "http", {117, 118, 117}, 9, true}}));
  EXPECT_THAT(found, Contains(StartsWith("Behind local HTTP, a client that only asks gets 1.30 times as many "
                                         "images per second (95 % CI 1.29")));
  EXPECT_THAT(found[0], HasSubstr("in-process: 100 images/s")) << "it is no way to run a network";
  EXPECT_THAT(found, Not(Contains(HasSubstr("independent"))));
}

TEST(ArchitectureFindings, TellOfAnApplicationWhereItHasOneArchitecture) {
  const auto document =
      document_of({{"local", "http", {90, 91, 90}, 11}, {"local", "http", {117, 118, 117}, 9, true}});
  const auto found = findings(document);
  EXPECT_THAT(found[0], StartsWith("The measured speed is 90.3 images/s")) << "the other is no way to run it";
  EXPECT_EQ(answer_configuration(document), &document.cells[0]);
  EXPECT_THAT(found, Contains(StartsWith("Behind local HTTP, a client that only asks gets 1.30 times")));
}

TEST(ArchitectureFindings, KnowAClientThatOnlyAsksWhereItIsNotVaried) {
  auto document =
      document_of({{"in-process", "", {100, 101, 99}, 10}, {"local", "http", {117, 118, 117}, 9}});
  document.cells[1].cell.factors.erase("client");
  document.experiment.spec["client"] = "independent";
  EXPECT_EQ(answer_configuration(document), &document.cells[0]);
  EXPECT_THAT(findings(document), Not(Contains(HasSubstr("should run m.onnx behind"))));
}

TEST(ArchitectureFindings, NeedTwoArchitectures) {
  EXPECT_THAT(architecture_findings(sample_document()), IsEmpty());
  EXPECT_THAT(architecture_findings({}), IsEmpty());
  EXPECT_EQ(recommended_configuration(sample_document()), nullptr);
}

TEST(ArchitectureFindings, NameTheFastestAndWhatItIsFasterThan) {
  const auto said =
      findings(document_of({{"in-process", "", {40, 41, 42}, 40}, {"local", "http", {20, 20.5, 21}, 44}}));
  EXPECT_THAT(said[0], StartsWith("This machine should run m.onnx in-process: 41.0 images/s"));
  EXPECT_EQ(said[1], "It is 2.00 times as fast (95 % CI 2.00 to 2.00) as local HTTP.");
  EXPECT_THAT(said,
              Contains(AllOf(HasSubstr("Behind local HTTP against in-process, per image: 24.4 ms longer"),
                             HasSubstr("4.00 ms more CPU time (95 % CI 3."))));
}

TEST(ArchitectureFindings, TakeWhatNeedsNoServerWhereNoDifferenceIsSeen) {
  const auto said =
      findings(document_of({{"local", "grpc", {40, 42, 41}, 40}, {"in-process", "", {41, 40.5, 40.8}, 40}}));
  EXPECT_THAT(said[0],
              StartsWith("No significant difference in throughput or latency between 2 configurations"));
  EXPECT_THAT(said[1], StartsWith("This machine should run m.onnx in-process"));
  EXPECT_THAT(said[2], AllOf(StartsWith("No significant difference in speed to local gRPC"),
                             HasSubstr("and in-process needs no server")));
}

TEST(ArchitectureFindings, TakeTheOneThatSparesTheProcessorWhereNoDifferenceIsSeen) {
  const auto said = findings(
      document_of({{"in-process", "", {41, 42, 40.7}, 48}, {"local", "grpc", {41, 40.5, 41.2}, 40}}));
  EXPECT_THAT(said[0], StartsWith("This machine should run m.onnx behind local gRPC"));
  EXPECT_THAT(said[1], HasSubstr("in-process (ratio 0.9"));
  EXPECT_THAT(said[1], HasSubstr("which takes 8.00 ms more CPU time per image"));
}

/// Each batch of the cell's runs takes so long.
void set_latency_ms(Document& document, std::int64_t cell, double ms) {
  for (auto& run : document.runs)
    if (run.cell == cell)
      run.result.samples = {{"issued_s", {0, 1, 2}},
                            {"done_s", std::vector{1e-3 * ms, 1 + 1e-3 * ms, 2 + 1e-3 * ms}}};
}

TEST(ArchitectureFindings, TakeTheLowerLatencyWhereNoDifferenceInSpeedIsSeen) {
  auto document =
      document_of({{"in-process", "", {41, 42, 40.7}, 40}, {"local", "grpc", {40, 40.5, 41.2}, 40}});
  set_latency_ms(document, 0, 930);
  set_latency_ms(document, 1, 68);
  const auto said = findings(document);
  EXPECT_THAT(said[0], StartsWith("This machine should run m.onnx behind local gRPC"));
  EXPECT_THAT(said[1], AllOf(StartsWith("No significant difference in speed to in-process"),
                             HasSubstr("which has 13.7 times the latency")));
}

TEST(ArchitectureFindings, LeaveOutWhatDoesNotKeepToTheLatencyLimit) {
  auto document = document_of({{"in-process", "", {60, 61, 62}, 40},
                               {"local", "http", {50, 50.5, 51}, 40},
                               {"local", "grpc", {40, 40.5, 41}, 40}});
  const auto set_p95 = [&](std::size_t cell, double ms) {
    document.cells[cell].latency_ms["p95"] = {.value = ms, .low = ms - 5, .high = ms + 5, .n = 200};
  };
  set_p95(0, 180);
  set_p95(1, 80);
  set_p95(2, 60);
  document.experiment.latency_limit_s = 0.1;
  const auto said = findings(document);
  EXPECT_THAT(said[0], StartsWith("This machine should run m.onnx behind local HTTP"));
  EXPECT_THAT(said,
              Contains(HasSubstr("keeps its p95 latency within 100 ms: 80.0 ms (95 % CI 75.0 to 85.0)")));
  EXPECT_THAT(said,
              Contains(AllOf(StartsWith("The limit leaves out"), HasSubstr("61.0 images/s, p95 180 ms"))));
  document.experiment.latency_limit_s = 0.05;
  EXPECT_THAT(findings(document)[0],
              StartsWith("None of 3 configurations is shown to keep its p95 latency within 50.0 ms"));
  EXPECT_EQ(answer_configuration(document), &document.cells[2]);
}

TEST(ArchitectureFindings, CompareTheProtocols) {
  const auto slower =
      findings(document_of({{"local", "http", {40, 41, 42}, 40}, {"local", "grpc", {30, 31, 31.2}, 41}}));
  EXPECT_THAT(slower, Contains(AllOf(HasSubstr("gRPC against HTTP: gRPC is 0.7"),
                                     HasSubstr("per image 1.00 ms more CPU time"))));
  const auto same =
      findings(document_of({{"local", "http", {40, 41, 42}, 40}, {"local", "grpc", {41, 40, 42}, 40}}));
  EXPECT_THAT(same, Contains(HasSubstr("gRPC against HTTP: no significant difference in speed")));
}

TEST(ArchitectureFindings, SayThatOneRunIsTooFew) {
  const auto said = findings(served_document(1));
  EXPECT_THAT(said[0],
              AllOf(StartsWith("With one run each, no difference between 19 configurations can be shown"),
                    HasSubstr("intervals need more runs: neph"), HasSubstr("--repeat 5 --resume")));
  EXPECT_THAT(said[1], HasSubstr("(1 run: too few for an interval)."));
  EXPECT_THAT(said, Not(Contains(HasSubstr("more CPU time"))));
}

TEST(ArchitectureFindings, FindTheTruthOfTheSample) {
  const auto said = findings(served_document(8));
  EXPECT_THAT(said[0], StartsWith("This machine should run resnet50.onnx in-process (batch 16, async):"));
  EXPECT_THAT(said[1], AllOf(HasSubstr("as local HTTP (batch 16, async)"),
                             HasSubstr("as local gRPC (batch 16, async)")));
  EXPECT_THAT(said, Contains(HasSubstr("Behind local gRPC against in-process")));
  EXPECT_THAT(said,
              Contains(AllOf(HasSubstr("Of the "), HasSubstr("the largest of the rest: server queue "))));
  EXPECT_THAT(said, Contains(AllOf(HasSubstr("Asynchronous instead of synchronous: in-process, 1.21 times"),
                                   HasSubstr("behind local HTTP, 1.2"), HasSubstr("times the peak memory"))));
  EXPECT_THAT(said, Contains(AllOf(HasSubstr("Batches instead of 1: in-process, 16 brings most"))));
  EXPECT_THAT(said, Not(Contains(HasSubstr("without files"))));
}

TEST(ArchitectureFindings, LeaveInvalidSettingsOut) {
  auto document = document_of({{"in-process", "", {40, 41, 42}, 40}, {"local", "http", {20, 20.5, 21}, 44}});
  document.cells[0].verdict = Verdict::invalid;
  EXPECT_THAT(architecture_findings(document), IsEmpty());
}

/// Seen: "10 runs", which were the stretches of one.
TEST(ArchitectureFindings, CountOneRunAsOneRun) {
  auto document = document_of({{"in-process", "", {40}, 40}, {"local", "http", {20}, 44}});
  for (auto& cell : document.cells) {
    cell.runs_ok = 1;
    cell.figures["images_per_s"].n = 10;
  }
  EXPECT_THAT(findings(document), Contains(HasSubstr(" to 14.3, within 1 run).")));
  document.cells.resize(1);
  EXPECT_THAT(findings(document)[0], AllOf(HasSubstr(", within 1 run)"), Not(HasSubstr("10 runs"))));
}

}  // namespace
}  // namespace neph::report
