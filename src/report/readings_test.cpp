#include "report/readings.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "os/file.hpp"

namespace neph::report {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

struct Documented {
  std::string name, stage;
};

/// measuring.md's table of phases: the names in backticks in the first column, with the stage in the second.
std::vector<Documented> documented_phases() {
  const auto text = read_file("docs/method/measuring.md").value();
  std::vector<Documented> phases;
  const std::string rule = "\n| phase | stage | from | to |\n|---|---|---|---|\n";
  for (auto at = text.find(rule) + rule.size(); text[at] == '|'; at = text.find('\n', at) + 1) {
    const auto end = text.find('|', at + 1);
    const auto stage = text.find('`', end) + 1;
    for (auto begin = text.find('`', at); begin < end; begin = text.find('`', begin + 1)) {
      const auto close = text.find('`', begin + 1);
      phases.push_back(
          {text.substr(begin + 1, close - begin - 1), text.substr(stage, text.find('`', stage) - stage)});
      begin = close;
    }
  }
  return phases;
}

TEST(Readings, PhasesComeInTheOrderOfTheMethod) {
  const auto documented = documented_phases();
  ASSERT_EQ(documented.size(), phase_kinds.size());
  CellSummary cell;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < documented.size(); ++i) {
    const auto& [name, stage] = documented[i];
    cell.phases_s[name] = {};
    expected.push_back(name);
    EXPECT_EQ(phase_kinds[i].name, name);
    EXPECT_EQ(enum_name(phase_kinds[i].stage), stage) << name;
  }
  cell.phases_s["another"] = {};
  expected.emplace_back("another");
  ASSERT_NE(expected, sorted(expected));
  EXPECT_EQ(phase_names({cell}), expected);
}

TEST(Readings, StagesComeInTheOrderOfARequestsWayOfEarlierStoresToo) {
  CellSummary now, before;
  for (const auto* name : {"receive", "unexplained", "server_queue", "network", "send", "write", "read"})
    now.stages_ms[name] = {};
  EXPECT_EQ(stage_names({now}), (std::vector<std::string>{"read", "send", "network", "server_queue",
                                                          "unexplained", "receive", "write"}));
  for (const auto* name : {"receive", "transport", "server_queue", "send", "teleport", "read"})
    before.stages_ms[name] = {};
  EXPECT_EQ(stage_names({before}),
            (std::vector<std::string>{"read", "send", "transport", "server_queue", "receive", "teleport"}));
}

TEST(Readings, WhatPreparesARunEndsWhereItsMeasurementBegins) {
  CellSummary cell;
  for (const auto* name : {"drain", "probe", "measure", "warmup", "look", "first_request", "server_stop"})
    cell.phases_s[name] = {};
  EXPECT_EQ(preparing_phases({cell}), (std::vector<std::string>{"first_request", "look", "warmup"}));
}

TEST(Readings, CoresThatAreTakenAreBusyOrStolen) {
  CellSummary cell;
  EXPECT_EQ(taken_cores(cell), std::nullopt);
  cell.telemetry = {{.target = "machine", .name = "cpu_user", .mean = 1.0},
                    {.target = "machine", .name = "cpu_system", .mean = 0.25}};
  EXPECT_EQ(taken_cores(cell), 1.25);
  cell.telemetry.push_back({.target = "machine", .name = "cpu_steal", .mean = 0.5});
  EXPECT_EQ(taken_cores(cell), 1.75);
}

TEST(Readings, CoresOfAMachineThatIsNotKnown) {
  EXPECT_EQ(machine_cores(nullptr), std::nullopt);
  EXPECT_EQ(machine_cores(Json{{"processor", nullptr}}), std::nullopt);
  EXPECT_EQ(machine_cores(Json{{"processor", {{"online", nullptr}}}}), std::nullopt);
  EXPECT_EQ(machine_cores(Json{{"processor", {{"online", 4}}}}), 4);
}

TEST(Readings, OnlyConfigurationsThatCompeteAreRanked) {
  Document document{.experiment = {.workload = "infer"}};
  for (const double speed : {2.0, 3.0}) {
    auto& cell = document.cells.emplace_back();
    for (const auto& metric : {metric::images_per_s, metric::requests_per_s})
      cell.figures[std::string(metric.name)] = {.value = speed, .n = 1};
  }
  document.cells[1].verdict = Verdict::invalid;
  const std::vector<const CellSummary*> first{&document.cells[0]};
  EXPECT_EQ(by_speed(document)[0], &document.cells[1]);
  EXPECT_EQ(ranked(document), first);
  document.experiment.workload = "load";
  EXPECT_EQ(by_speed(document)[0], &document.cells[0]);
  EXPECT_TRUE(ranked(document).empty());
}

}  // namespace
}  // namespace neph::report
