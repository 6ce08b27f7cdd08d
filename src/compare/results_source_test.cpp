#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Results, ARunIsARunAndItsRepeatTheBlock) {
  const auto source = golden("neph.json");
  EXPECT_EQ(source.kind, "neph");
  EXPECT_EQ(source.identity, "experiment 1 of 2026-11-26T22:33:10Z, seed 1691523293");
  EXPECT_THAT(labels(source), ElementsAre("batch 1", "batch 8"));
  const auto& first = source.configurations[0];
  EXPECT_EQ(first.factors, (Json{{"batch", 1}}));
  EXPECT_EQ(first.runs.size(), 3u);
  EXPECT_EQ(values(first, "images_per_s")[0], 21.474113002676187);
  EXPECT_THAT(blocks(first), testing::UnorderedElementsAre(0, 1, 2));
}

TEST(Results, FactsAreWhatAComparisonLooksAt) {
  const auto facts = golden("neph.json").configurations[0].facts;
  EXPECT_EQ(facts.at("machine"), "Intel(R) Xeon(R) Processor, 2 cores, 24.0 GiB")
      << "of 23.6: the kernel's share varies";
  EXPECT_EQ(facts.at("workload"), "infer");
  EXPECT_EQ(facts.at("engine"), "openvino 2026.4.1");
  EXPECT_EQ(facts.at("device"), "Intel(R) Xeon(R) Processor");
  EXPECT_EQ(facts.at("precision"), "f32");
  EXPECT_EQ(facts.at("kernel"), "brgconv_avx512_f32");
  EXPECT_EQ(facts.at("threads"), "2");
  EXPECT_EQ(facts.at("network"), "resnet18");
  EXPECT_EQ(facts.at("answers"), "d04e8ec58608edba");
}

TEST(Results, WarningsThatWeighAreDoubts) {
  EXPECT_THAT(golden("neph.json").configurations[0].doubts,
              Contains("busy_machine: other processes used 1.15 to 1.25 of 2 cores (in 3 of 3 runs)"));
}

TEST(Results, EarlierVersionsAreRead) {
  for (const auto* file : {"schema-3-1", "schema-4-1", "schema-4-2", "schema-5-1"}) {
    const auto source = read_source(std::string("tests/golden/stores/") + file + ".json");
    ASSERT_TRUE(source) << source.error().text();
    for (const auto& configuration : source->configurations) {
      EXPECT_FALSE(configuration.runs.empty()) << file;
      EXPECT_THAT(configuration.facts.at("machine"), HasSubstr("2 cores")) << file;
    }
    const auto table = read_source(std::string("tests/golden/stores/") + file + ".csv");
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(labels(*source), labels(*table)) << "configurations of both can be matched";
  }
}

/// Results of two configurations and a machine, to be changed.
Json small_results() {
  return Json::parse(R"({"format": 1,
    "experiment": {"id": 7, "created": "2026-01-02T03:04:05Z", "workload": "infer", "seed": 9},
    "machines": [{"id": 3, "fingerprint": {"processor": {"model": "P"}, "effective_cores": 4}},
                 {"id": 4, "fingerprint": null}],
    "cells": [{"index": 0, "label": "batch 1", "factors": {"batch": 1}, "warnings": [],
               "figures": {"response_p99_ms": {"value": 9, "low": null, "high": null, "n": 2},
                           "response_p50_ms": {"value": 5, "low": 4, "high": 6, "n": 2}},
               "facts": {"model_hash": "abc"}, "answers_checksum": "", "spec": {"model": "folder/m.onnx"}},
              {"index": 1, "label": "batch 2", "factors": {"batch": 2}, "warnings": [
                 {"code": "closed_loop", "message": "m", "weight": "hint"},
                 {"code": "of_tomorrow", "message": "m", "weight": "voids"}],
               "figures": {}, "facts": {}, "answers_checksum": "c", "spec": {"model": "folder/m.onnx"}}],
    "runs": [{"cell": 0, "repeat": 0, "status": "ok", "machine": 3,
              "figures": {"images_per_s": 10, "response_p99_ms": 9, "response_p50_ms": 5, "gone": null}},
             {"cell": 0, "repeat": 1, "status": "ok", "machine": 4, "figures": {"images_per_s": 11}},
             {"cell": 1, "repeat": 0, "status": "failed", "machine": null, "figures": {}}]})");
}

Source of(const Json& results) {
  auto source = source_of_results(results, "t");
  EXPECT_TRUE(source) << source.error().text();
  return source ? *std::move(source) : Source{.configurations = {{}, {}}};
}

std::string message_of(const Json& results) { return message(dump_json(results)); }

TEST(Results, APercentileWithoutAnIntervalIsNoMetric) {
  const auto source = of(small_results());
  EXPECT_THAT(values(source.configurations[0], "response_p99_ms"), IsEmpty());
  EXPECT_THAT(values(source.configurations[0], "response_p50_ms"), ElementsAre(5));
  EXPECT_FALSE(source.configurations[0].runs[0].metrics.contains("gone")) << "null is not known";
}

TEST(Results, AModelIsKnownByItsHashElseByItsNameWithoutTheFolder) {
  const auto source = of(small_results());
  EXPECT_EQ(source.configurations[0].facts.at("model"), "abc");
  EXPECT_EQ(source.configurations[1].facts.at("network"), "m.onnx");
}

TEST(Results, ALoadThatNamedNoModelKnowsItFromTheServer) {
  auto results = small_results();
  for (auto& cell : results["cells"]) cell["facts"]["model"] = "resnet (onnxruntime_onnx)";
  results["cells"][0]["spec"]["model"] = "";
  const auto source = of(results);
  EXPECT_EQ(source.configurations[0].facts.at("network"), "resnet");
  EXPECT_EQ(source.configurations[1].facts.at("network"), "m.onnx") << "named by the user";
}

TEST(Results, SeveralMachinesStandSideBySide) {
  EXPECT_EQ(of(small_results()).configurations[0].facts.at("machine"),
            "P, 4 cores and a machine of which nothing is known");
}

TEST(Results, WorkThatWasNotDoneIsAFailure) {
  auto results = small_results();
  EXPECT_THAT(of(results).configurations[0].failures, IsEmpty());
  EXPECT_THAT(of(results).configurations[1].failures, ElementsAre("a run failed: failed"));
  auto& warnings = results["cells"][0]["warnings"];
  for (const auto* code : {"pictures_failed", "requests_failed", "some_runs_failed", "unsteady"})
    warnings.push_back({{"code", code}, {"message", "3 of 9"}, {"weight", "doubt"}});
  results["runs"][2]["reason"] = "exit code 3";
  results["runs"].push_back(results["runs"][2]);
  EXPECT_THAT(of(results).configurations[0].failures, ElementsAre("3 of 9", "3 of 9", "3 of 9"));
  EXPECT_THAT(of(results).configurations[0].doubts, ElementsAre("unsteady: 3 of 9"));
  EXPECT_THAT(of(results).configurations[1].failures, ElementsAre("a run failed: exit code 3")) << "once";
  results["runs"][2]["status"] = results["runs"][3]["status"] = "interrupted";
  EXPECT_THAT(of(results).configurations[1].failures, IsEmpty());
}

TEST(Results, WhatASearchFindsMeetsItsSloAlthoughSomeRequestsFail) {
  auto results = small_results();
  results["cells"][0]["warnings"].push_back(
      {{"code", "requests_failed"}, {"message", "m"}, {"weight", "doubt"}});
  results["cells"][0]["figures"]["sustained_per_s"] = {{"value", 9}, {"low", 8}, {"high", 10}, {"n", 2}};
  EXPECT_THAT(of(results).configurations[0].failures, IsEmpty());
  EXPECT_THAT(of(results).configurations[0].doubts, ElementsAre("requests_failed: m"));
}

TEST(Results, FiguresAreThoseThatTheirTablesShow) {
  auto results = small_results();
  results["cells"][0]["latency_ms"]["p50"] = {{"value", 7}, {"low", 6}, {"high", 8}, {"n", 90}};
  results["runs"][0]["figures"]["peak_memory_bytes"] = 2e6;
  results["runs"][1]["figures"]["peak_memory_bytes"] = 3e6;
  const auto figures = of(results).configurations[0].figures;
  EXPECT_EQ(figures.at("response_p50_ms").value, 5);
  EXPECT_EQ(*figures.at("latency_p50_ms").low, 6);
  EXPECT_EQ(figures.at("peak_memory_bytes").value, 3e6) << "the most of all runs";
  EXPECT_FALSE(figures.contains("response_p99_ms"));
}

TEST(Results, OnlyRunsThatEndedWellCount) {
  const auto second = of(small_results()).configurations[1];
  EXPECT_TRUE(second.runs.empty());
  EXPECT_THAT(second.doubts, ElementsAre("of_tomorrow: m", "no run ended well"));
  EXPECT_FALSE(second.facts.contains("machine"));
}

TEST(Results, TheIdentityIsThatOfTheExperiment) {
  auto other = small_results();
  EXPECT_EQ(of(small_results()).identity, of(other).identity);
  other["experiment"]["seed"] = 10;
  EXPECT_NE(of(small_results()).identity, of(other).identity);
  other["experiment"].erase("created");
  EXPECT_EQ(of(other).identity, "");
}

TEST(Results, WhatWouldMakeAWrongNumberIsRefusedWithItsPlace) {
  const auto with = [](auto change) {
    auto results = small_results();
    change(results);
    return message_of(results);
  };
  EXPECT_EQ(
      with([](Json& r) { r["runs"][1]["figures"]["images_per_s"] = "11"; }),
      "t: runs[1].figures.images_per_s: expected a number, got \"11\"; write it again: neph export --format "
      "json");
  EXPECT_THAT(with([](Json& r) { r["format"] = 2; }),
              StartsWith("t: format 2 is not known here; this neph reads format 1"));
  EXPECT_THAT(with([](Json& r) { r["runs"][0]["cell"] = 5; }),
              HasSubstr("runs[0].cell: there is no configuration 5"));
  EXPECT_THAT(with([](Json& r) { r["runs"][0]["machine"] = 5; }),
              HasSubstr("runs[0].machine: there is no machine 5"));
  EXPECT_THAT(with([](Json& r) { r["runs"][0]["repeat"] = -1; }),
              HasSubstr("runs[0].repeat: expected a whole number from 0 on, got -1"));
  EXPECT_THAT(with([](Json& r) { r["runs"][0]["repeat"] = 1e300; }), HasSubstr("runs[0].repeat"));
  EXPECT_THAT(with([](Json& r) { r["cells"][1]["index"] = 0; }), HasSubstr("cells[1].index: 0 stands twice"));
  EXPECT_THAT(with([](Json& r) { r["cells"][1]["label"] = "batch 1"; }), HasSubstr("two configurations"));
  EXPECT_THAT(with([](Json& r) { r["runs"] = 3; }), HasSubstr("runs: expected a list, got 3"));
  EXPECT_THAT(with([](Json& r) { r["cells"] = r["runs"] = Json::array(); }), HasSubstr("has no results"));
  EXPECT_THAT(with([](Json& r) { r["cells"][0]["facts"] = "f"; }),
              HasSubstr("cells[0].facts: expected an object, got \"f\""));
}

/// Any finite double, of any size, by its bits.
double any_number(std::mt19937_64& random) {
  for (;;) {
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) return number;
  }
}

TEST(Results, NumbersComeBackToTheLastBit) {
  std::mt19937_64 random(29);
  auto results = small_results();
  results["runs"] = Json::array();
  std::vector<double> written;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    written.push_back(any_number(random));
    results["runs"].push_back({{"cell", 0},
                               {"repeat", repeat},
                               {"status", "ok"},
                               {"machine", 3},
                               {"figures", {{"x_s", to_json(written.back())}}}});
  }
  const auto source = parsed(dump_json(results, true));
  EXPECT_EQ(values(source.configurations[0], "x_s"), written);
}

}  // namespace
}  // namespace neph::compare
