#include "report/readings.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.hpp"

namespace neph::report {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

/// The names in backticks in the first column of METHOD.md's table of phases.
std::vector<std::string> documented_phases() {
  const auto text = read_file("docs/METHOD.md").value();
  std::vector<std::string> names;
  for (auto at = text.find("\n|---|---|---|\n") + 15; text[at] == '|'; at = text.find('\n', at) + 1) {
    const auto end = text.find('|', at + 1);
    for (auto begin = text.find('`', at); begin < end; begin = text.find('`', begin + 1)) {
      const auto close = text.find('`', begin + 1);
      names.push_back(text.substr(begin + 1, close - begin - 1));
      begin = close;
    }
  }
  return names;
}

TEST(Readings, PhasesComeInTheOrderOfTheMethod) {
  const auto documented = documented_phases();
  ASSERT_EQ(documented.size(), 17U);
  CellSummary cell;
  for (const auto& name : documented) cell.phases_s[name] = {};
  cell.phases_s["another"] = {};
  auto expected = documented;
  expected.push_back("another");
  ASSERT_NE(expected, sorted(expected));
  EXPECT_EQ(phase_names({cell}), expected);
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

}  // namespace
}  // namespace neph::report
