#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/samples.hpp"
#include "report/charts/drawn_test.hpp"
#include "report/charts/vega.hpp"
#include "report/readings.hpp"
#include "report/request_parts.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// The quantity, with numbers that are none.
SeriesSummary none(SeriesSummary quantity) {
  quantity.mean = quantity.max = quantity.min = NAN;
  return quantity;
}

/// Every "field" of an encoding anywhere in a specification.
void collect_fields(const Json& spec, std::set<std::string>& fields) {
  if (spec.is_object()) {
    for (const auto& [key, value] : spec.items()) {
      if (key == "data") continue;
      if (key == "field" && value.is_string()) fields.insert(value.get<std::string>());
      collect_fields(value, fields);
    }
  } else if (spec.is_array()) {
    for (const auto& value : spec) collect_fields(value, fields);
  }
}

std::set<std::string> keys_of(const Json& rows) {
  std::set<std::string> keys;
  for (const auto& row : rows)
    for (const auto& [key, value] : row.items()) keys.insert(key);
  return keys;
}

/// One that has something for this chart.
Document document_for(std::string_view id) {
  if (id.starts_with("load_")) return load_document();
  if (id == "bill") return with_costs(sample_document());
  if (id == "container") return training_document({.places = {"process", "docker"}});
  if (id == "peak_memory" || id == "scaling" || id == "learnt" || id == "run_phases")
    return training_document();
  return id == "requests" || id == "memory" ? served_document() : sample_document();
}

class EveryChart : public testing::TestWithParam<std::string> {
 protected:
  const Chart& chart() const { return *find_chart(GetParam(), document_for(GetParam())); }
};

TEST_P(EveryChart, DrawsATypicalDocument) {
  const auto drawing = chart().draw(document_for(GetParam()));
  ASSERT_FALSE(drawing.panels.empty());
  for (const auto& panel : drawing.panels) {
    EXPECT_FALSE(panel.caption.empty());
    EXPECT_GT(panel.description.size(), 20u);
    EXPECT_EQ(panel.spec["description"], panel.description);
    EXPECT_EQ(panel.spec["width"], "container");
    std::set<std::string> fields;
    collect_fields(panel.spec, fields);
    EXPECT_GE(fields.size(), 3u);
    const auto keys = keys_of(rows_of(panel));
    for (const auto& field : fields) EXPECT_THAT(keys, Contains(field)) << panel.caption;
  }
}

TEST_P(EveryChart, DrawsNothingOfNothing) {
  EXPECT_TRUE(chart().draw(empty_document()).panels.empty());
  EXPECT_TRUE(chart().draw({}).panels.empty());
  EXPECT_TRUE(chart().draw(failed_document()).panels.empty());
}

TEST_P(EveryChart, BearsNumbersThatAreNone) {
  auto document = document_for(GetParam());
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  for (auto& cell : document.cells) {
    for (auto* estimates : {&cell.figures, &cell.latency_ms, &cell.phases_s, &cell.stages_ms, &cell.costs})
      for (auto& [name, estimate] : *estimates)
        estimate = {.value = NAN, .low = infinity, .high = NAN, .n = 1};
    for (auto& quantity : cell.telemetry) quantity = none(quantity);
  }
  for (auto& run : document.runs) {
    for (auto& series : run.result.series) series.values.assign(series.values.size(), NAN);
    for (auto& quantity : run.result.telemetry) quantity = none(quantity);
    for (auto& column : run.result.samples) column.values.assign(column.values.size(), infinity);
    for (auto& figure : run.result.figures) figure.estimate.value = NAN;
  }
  EXPECT_TRUE(chart().draw(document).panels.empty());
}

TEST_P(EveryChart, StaysSmallWithManySettings) {
  const auto document =
      sample_document({.batches = {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96}, .repeat = 20});
  ASSERT_EQ(document.cells.size(), 60u);
  std::size_t bytes = 0;
  for (const auto& panel : chart().draw(document).panels) bytes += dump_json(panel.spec).size();
  EXPECT_LT(bytes, 900'000u);
}

std::vector<std::string> all_ids() {
  std::set<std::string> ids;
  for (const auto* view : report_views())
    for (const auto* chart : view->charts) ids.emplace(chart->id);
  return {ids.begin(), ids.end()};
}
INSTANTIATE_TEST_SUITE_P(All, EveryChart, testing::ValuesIn(all_ids()),
                         [](const auto& param) { return param.param; });

TEST(Throughput, CarriesTheIntervalsAndOneLinePerSetting) {
  const auto document = sample_document();
  const auto drawing = draw("throughput", document);
  const auto& panel = drawing.panels.at(0);
  std::set<std::string> lines;
  for (const auto& row : rows_of(panel)) {
    lines.insert(row["line"].get<std::string>() + row["style"].get<std::string>());
    EXPECT_LT(row["low"], row["value"]);
    EXPECT_GT(row["high"], row["value"]);
    EXPECT_EQ(row["n"], 5);
  }
  EXPECT_EQ(rows_of(panel).size(), 20u);
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_EQ(panel.spec["encoding"]["color"]["scale"]["domain"], Json({"precision f32", "precision bf16"}));
  EXPECT_EQ(panel.spec["layer"][0]["encoding"]["strokeDash"]["field"], "style");
  EXPECT_EQ(panel.spec["encoding"]["x"]["title"], "batch");
  EXPECT_EQ(panel.spec["encoding"]["x"]["scale"]["type"], "log");
}

TEST(Throughput, TakesTheFirstNumberWhereBatchDoesNotVary) {
  auto document = sample_document({.precisions = {"f32"}, .modes = {"sync"}});
  document.experiment.factors[0].name = "streams";
  for (auto& cell : document.cells) cell.cell.factors = Json{{"streams", cell.cell.factors["batch"]}};
  const auto panel = draw("throughput", document).panels.at(0);
  EXPECT_EQ(panel.spec["encoding"]["x"]["title"], "streams");
  EXPECT_TRUE(panel.spec["encoding"]["color"]["legend"].is_null());
}

TEST(Throughput, HasNoAxisWithoutANumber) {
  EXPECT_TRUE(draw("throughput", sample_document({.batches = {8}})).panels.empty());
}

TEST(Throughput, ColoursArchitecturesAndProtocols) {
  auto document = served_document();
  std::erase_if(document.cells,
                [](const auto& cell) { return cell.cell.factors.value("files", "on") == "off"; });
  std::erase_if(document.experiment.factors, [](const auto& factor) { return factor.name == "files"; });
  for (auto& cell : document.cells) cell.cell.factors.erase("files");
  const auto panel = draw("throughput", document).panels.at(0);
  EXPECT_EQ(panel.spec["encoding"]["color"]["scale"]["domain"],
            Json({"in-process", "local HTTP", "local gRPC", "local gRPC, JPEG files"}));
}

TEST(Settings, MarkTheFastestInProcessAndWithoutFiles) {
  const auto spec = draw("settings", served_document()).panels.at(0).spec;
  std::map<std::string, double> marks;
  for (const auto& layer : spec["layer"])
    if (layer["encoding"].contains("text") && layer["encoding"]["text"].contains("value"))
      marks[layer["encoding"]["text"]["value"]] = layer["encoding"]["x"]["datum"];
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_GT(marks["in-process without files"], marks["fastest in-process"]);
  EXPECT_EQ(spec["layer"][0]["encoding"]["color"]["scale"]["domain"][0], "in-process");
}

TEST(Requests, AddUpToTheResponseTime) {
  const auto document = served_document();
  const auto drawing = draw("requests", document);
  ASSERT_EQ(drawing.panels.size(), 3u);  // a batch each
  EXPECT_EQ(drawing.panels[0].caption, "a request of 1 image");
  for (const auto& cell : document.cells) {
    double response_ms = 0, n = 0, sum = 0;
    for (const auto& run : document.runs)
      if (run.cell == cell.cell.index)
        for (const double s : *column_of(run.result, "infer_s")) {
          response_ms += 1e3 * s;
          ++n;
        }
    for (const auto& [part, estimate] : request_parts(document.runs, cell.cell.index))
      if (part != "receive") sum += estimate.value;
    EXPECT_NEAR(sum, response_ms / n, 1e-9 * sum) << cell.cell.label;
  }
}

TEST(Stages, OfARequestAreOnePartBesideTheInferenceAlsoInEarlierStores) {
  for (const auto& outside : {"transport", "network", "network_and_server"}) {
    Document document;
    auto& cell = document.cells.emplace_back();
    cell.runs_ok = 1;
    cell.stages_ms = {{"decode", {.value = 3}},
                      {"send", {.value = 1}},
                      {outside, {.value = 2}},
                      {"server_infer", {.value = 8}}};
    std::map<std::string, double> parts;
    for (const auto& row : rows_of(draw("stages", document).panels.at(0))) parts[row["part"]] = row["value"];
    EXPECT_EQ(parts, (std::map<std::string, double>{{"decode", 3}, {"infer", 8}, {"request", 3}})) << outside;
  }
}

TEST(Processor, AddsUpToTheApplication) {
  const auto rows = rows_of(draw("processor", served_document()).panels.at(0));
  std::map<std::string, double> sums;
  for (const auto& row : rows) sums[row["label"]] += row["value"].get<double>();
  for (const auto& row : rows) EXPECT_NE(row["part"], "inference") << "engines train too";
  EXPECT_NEAR(sums["in-process, batch 1, sync"], 44.2, 0.1);
  EXPECT_NEAR(sums["local gRPC, batch 1, sync"], 44.2 + 1.75, 0.1);
}

TEST(Memory, SaysHowManyTimesTheSynchronous) {
  const auto drawing = draw("memory", served_document());
  ASSERT_EQ(drawing.panels.size(), 3u);  // application, client, server
  EXPECT_EQ(drawing.choices.size(), 3u);
  for (const auto& row : rows_of(drawing.panels[1]))
    if (row["cell"] == 16 && row["line"] == "local gRPC") {
      if (row["x"] == 1) {
        EXPECT_EQ(row["note"], "");
      } else {
        EXPECT_NEAR(std::stod(row["note"].get<std::string>().substr(3)), 207.2 / 96.8, 0.03);
      }
    }
}

TEST(StandardError, IsThatOfTheMean) {
  auto document = sample_document({.batches = {1, 8}, .precisions = {"f32"}, .modes = {"sync"}, .repeat = 2});
  document.runs[0].result.figures[0].estimate.value = 9;
  document.runs[1].result.figures[0].estimate.value = 11;
  const auto rows = rows_of(draw("standard_error", document).panels.at(0));
  EXPECT_NEAR(rows[0]["value"], 10, 1e-9);  // deviation sqrt(2), over sqrt(2), of 10
}

TEST(Settings, StandInOrderOfSpeedWithVerdictAndInterval) {
  const auto rows = rows_of(draw("settings", sample_document()).panels.at(0));
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i - 1]["value"], rows[i]["value"]);
  EXPECT_EQ(rows[0]["verdict"], "invalid");
  EXPECT_THAT(rows[0]["text"].get<std::string>(), HasSubstr(" ± "));
}

TEST(Stages, AddUpToTheTotalBesideTheLabel) {
  const auto rows =
      rows_of(draw("stages", sample_document({.batches = {8}, .precisions = {"f32"}})).panels.at(0));
  double sum = 0;
  for (const auto& row : rows)
    if (row["place"] == 0) sum += row["value"].get<double>();
  ASSERT_EQ(rows[0]["first"], true);
  EXPECT_NEAR(std::stod(rows[0]["total"].get<std::string>()), sum, 0.06);
  EXPECT_EQ(rows[0]["part"], "read");
}

TEST(Phases, LeaveTheMeasurementOut) {
  for (const auto& row : rows_of(draw("phases", sample_document()).panels.at(0)))
    EXPECT_NE(row["part"], "measure");
}

TEST(Latency, CountsFromTheScheduledMoment) {
  auto document = single_run_document();
  document.runs[0].result.samples = {
      {"scheduled_s", {1, 2, 3}}, {"issued_s", {1.5, 2, 3}}, {"done_s", {2, 2.25, 3.5}}};
  const auto rows = rows_of(draw("latency", document).panels.at(0));
  ASSERT_EQ(rows[0]["curve"], true);
  EXPECT_EQ(rows[0]["y"], Json::array({250, 500, 1000}));
}

TEST(Latency, CountsFromTheHandOverWhereNothingWasScheduled) {
  auto document = single_run_document();
  document.runs[0].result.samples = {{"issued_s", {1, 2, 3}}, {"done_s", {2, 2.25, 3.5}}};
  const auto rows = rows_of(draw("latency", document).panels.at(0));
  ASSERT_EQ(rows[0]["curve"], true);
  EXPECT_EQ(rows[0]["y"], Json::array({250, 500, 1000}));
}

TEST(Latency, CutsIntervalsThatALogarithmicAxisDoesNotHave) {
  auto document = sample_document({.batches = {1, 2}, .precisions = {"f32"}, .modes = {"sync"}});
  document.cells[0].latency_ms["p50"] = {.value = 1, .low = -40, .high = 42, .n = 2};
  document.cells[1].latency_ms["p50"] = {.value = 900, .low = 800, .high = 1000, .n = 2};
  const auto panel = draw("latency", document).panels.at(0);
  EXPECT_EQ(panel.spec["layer"][0]["encoding"]["y"]["scale"]["type"], "log");
  for (const auto& row : rows_of(panel)) {
    const auto low = row.value("low", Json());
    EXPECT_TRUE(!low.is_number() || low > 0) << low;
  }
}

TEST(Latency, ShowsOnlyQuantilesWithAnInterval) {
  auto document = sample_document();
  document.runs.clear();
  for (const auto& row : rows_of(draw("latency", document).panels.at(0))) {
    EXPECT_FALSE(row.contains("curve"));
    if (row["quantile"] == "p99") {
      EXPECT_EQ(row["x"], 100);
      EXPECT_TRUE(row["low"].is_number());
    }
    EXPECT_NE(row["quantile"], "p999");
  }
}

TEST(Telemetry, ShowsTheMedianRunOfEachSettingWithItsPhases) {
  const auto document = sample_document({.batches = {1, 2}, .precisions = {"f32"}, .modes = {"sync"}});
  const auto drawing = draw("telemetry", document);
  EXPECT_EQ(drawing.choices.size(), 2u);
  EXPECT_THAT(drawing.note, HasSubstr("Always 0 and not drawn: Disk"));
  const auto& cpu = drawing.panels.at(0);
  std::set<std::string> phases, series;
  for (const auto& row : rows_of(cpu)) {
    if (row.contains("phase")) phases.insert(row["phase"].get<std::string>());
    if (row.contains("series")) series.insert(row["series"].get<std::string>());
  }
  EXPECT_EQ(phases, (std::set<std::string>{"process start", "model load", "model compile", "first inference",
                                           "warmup", "measure"}));
  EXPECT_EQ(series, (std::set<std::string>{"engine", "loaders", "rest"}));
  EXPECT_EQ(cpu.spec["params"][0]["name"], "cell");
}

/// Beside a run's own series, of which the made-up document has no roles.
void add_level(Run& run, std::string target, double level) {
  run.result.series.push_back({.target = std::move(target),
                               .name = "cpu",
                               .unit = "cores",
                               .at_s = {1, 2, 3},
                               .values = {level, level, level}});
}

TEST(Telemetry, TheServersEngineThreadsAreTheEngine) {
  auto document = served_document(1);
  for (auto& run : document.runs) {
    if (column_of(run.result, "network_s") == nullptr) continue;  // in-process
    add_level(run, "engine", 0.125);                              // makes requests
    add_level(run, "loader", 0.25);
    add_level(run, "rest", 1.5);  // has the whole server in it
    add_level(run, "client_engine", 0.125);
    add_level(run, "server_rest", 0.0625);
  }
  const auto panel = draw("telemetry", document).panels.at(0);
  std::map<std::string, std::map<std::int64_t, double>> levels;  // by label and cell
  for (const auto& row : rows_of(panel))
    if (row.contains("series")) {
      auto& drawn = levels[row["series"]];
      EXPECT_FALSE(drawn.contains(row["cell"])) << "twice: " << row["series"];
      drawn[row["cell"]] = row["v"].back();
    }
  EXPECT_EQ(panel.spec["layer"][1]["encoding"]["color"]["scale"]["domain"],
            Json({"engine", "loaders", "server, loaders", "server, requests", "client, requests", "rest"}));
  for (const auto& cell : document.cells) {
    const auto index = cell.cell.index;
    EXPECT_GT(levels["engine"][index], 0.9) << cell.cell.label;
    const bool served = cell.cell.factors["architecture"] == "local";
    EXPECT_EQ(levels["client, requests"].contains(index), served);
    EXPECT_EQ(levels["rest"].contains(index), !served) << "it would count the server twice";
  }
}

TEST(Telemetry, SaysHowMuchItThinned) {
  const auto drawing =
      draw("telemetry",
           sample_document({.batches = {8}, .precisions = {"f32"}, .modes = {"sync"}, .measure_s = 900}));
  EXPECT_THAT(drawing.note, HasSubstr("the mean of up to 5 readings"));
  for (const auto& row : rows_of(drawing.panels.at(0)))
    if (row.contains("t")) {
      EXPECT_LE(row["t"].size(), 2000u);
    }
}

TEST(Repeats, ShowEachRunAgainstItsSetting) {
  const auto document = sample_document();
  const auto rows = rows_of(draw("repeats", document).panels.at(0));
  EXPECT_EQ(rows.size(), document.runs.size());
  for (const auto& row : rows) EXPECT_LT(std::fabs(row["deviation"].get<double>()), 5);
  EXPECT_TRUE(draw("repeats", single_run_document()).panels.empty());
}

TEST(CellNames, NameSevenAndGatherTheRest) {
  const auto many = CellNames(sample_document()).scale();
  EXPECT_EQ(many["domain"].size(), 8u);
  EXPECT_EQ(many["domain"].back(), "other configurations");
  EXPECT_EQ(many["range"].back(), muted_colour);
  const auto eight = CellNames(sample_document({.batches = {1, 2}})).scale();
  EXPECT_EQ(eight["domain"].size(), 8u);
  EXPECT_NE(eight["domain"].back(), "other configurations");
}

TEST(Rounded, KeepsFiveDigits) {
  EXPECT_EQ(rounded(123456.0), 123460);
  EXPECT_EQ(rounded(0.00123456).get<double>(), 0.0012346);
  EXPECT_EQ(rounded(-2.0), -2);
  EXPECT_TRUE(rounded(NAN).is_null());
  EXPECT_EQ(rounded(5e-324).get<double>(), 5e-324);
}

}  // namespace
}  // namespace neph::report
