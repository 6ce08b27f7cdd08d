// The results as JSON, flat enough for jq: .cells[].latency_ms.p99.high,
// .cells[].telemetry["process.cpu_user"].mean
#include "report/findings.hpp"
#include "report/readings.hpp"
#include "report/report.hpp"
#include "report/run_figures.hpp"

namespace neph::report {
namespace {

constexpr int format_version = 1;

Json in_seconds(const std::map<std::string, Estimate>& phases) {
  Json object = Json::object();
  for (const auto& [name, estimate] : phases) {
    object[name] = to_json(estimate);
    object[name]["unit"] = "s";
  }
  return object;
}

Json telemetry_object(const std::vector<SeriesSummary>& telemetry) {
  Json object = Json::object();
  for (const auto& series : telemetry) {
    Json& entry = object[series.target + "." + series.name];
    entry["mean"] = to_json(series.mean);
    entry["maximum"] = to_json(series.max);
    entry["minimum"] = to_json(series.min);
    entry["unit"] = series.unit;
    if (!series.unavailable.empty()) entry["unavailable"] = series.unavailable;
  }
  return object;
}

Json cell_object(const Document& document, const CellSummary& cell) {
  Json object = Json::object();
  object["index"] = cell.cell.index;
  object["label"] = cell.cell.label;
  object["factors"] = cell.cell.factors;
  object["verdict"] = to_json(cell.verdict);
  const auto& view = view_of(document);
  object[std::string(metric::images_per_s.name)] =
      to_json(Estimate{});  // of every workload, as in earlier versions
  if (view.better) object[std::string(view.main.front().name)] = to_json(speed_of(document, cell));
  object["latency_ms"] = to_json(cell.latency_ms);
  object["phases"] = in_seconds(cell.phases_s);
  object["stages_ms"] = to_json(cell.stages_ms);
  object["figures"] = to_json(cell.figures);
  object["telemetry"] = telemetry_object(cell.telemetry);
  if (!cell.probes.empty()) object["probes"] = to_json(cell.probes);
  if (!cell.costs.empty()) object["costs"] = to_json(cell.costs);
  object["facts"] = to_json(cell.facts);
  object["answers_checksum"] = cell.outputs_checksum;
  object["warnings"] = to_json(cell.warnings);
  object["runs_ok"] = cell.runs_ok;
  object["runs_failed"] = cell.runs_failed;
  object["failures"] = to_json(cell.failures);
  object["repro"] = cell.repro;
  object["spec"] = cell.cell.spec;
  return object;
}

Json run_object(const Document& document, const Run& run) {
  Json object = Json::object();
  object["id"] = run.id;
  object["cell"] = run.cell;
  object["repeat"] = run.repeat;
  object["position"] = run.position;
  object["status"] = to_json(run.status);
  object["reason"] = run.reason;
  object["machine"] = to_json(run.machine_id);
  object["started"] = run.started;
  object["ended"] = run.ended;
  object["wall_s"] = to_json(run.wall_s);
  object["host_begin_s"] = to_json(run.host_begin_s);
  object["host_end_s"] = to_json(run.host_end_s);
  object["figures"] = Json::object();
  for (const auto& [name, value] : figures_of(document, run)) object["figures"][name] = to_json(value);
  if (!run.result.probes.empty()) object["probes"] = to_json(run.result.probes);
  object["repro"] = run.repro;
  return object;
}

}  // namespace

Json json(const Document& document) {
  Json object = Json::object();
  object["format"] = format_version;
  object["findings"] = findings(document);
  object["experiment"] = to_json(document.experiment);
  if (!document.currency.empty()) object["currency"] = document.currency;
  object["machine"] = document.machines.size() == 1 ? document.machines.front().fingerprint : Json();
  object["machines"] = to_json(document.machines);
  object["cells"] = Json::array();
  for (const auto& cell : document.cells) object["cells"].push_back(cell_object(document, cell));
  object["runs"] = Json::array();
  for (const auto& run : document.runs) object["runs"].push_back(run_object(document, run));
  return object;
}

}  // namespace neph::report
