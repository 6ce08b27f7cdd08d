#include "report/sample_document_test.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "os/file.hpp"

namespace neph::report {
namespace {

constexpr const char* hostile_text =
    "</script><script>alert('x')</script> & <b>\"|`\x1b[31m\xff ünïcødé 画像 🌩";

}  // namespace

Machine sample_machine() {
  auto machine = machine_of(Json::parse(R"json({
    "processor": {"architecture": "x86_64", "vendor": "GenuineIntel", "model": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
      "features": ["avx2", "avx512f", "avx512_vnni", "amx_bf16"], "sockets": 1, "cores": 1, "online": 2, "smt": true,
      "caches": [{"name": "L1d", "bytes": 49152, "count": 1, "shared": 2}, {"name": "L2", "bytes": 2097152, "count": 1, "shared": 2}],
      "base_hz": 2700000000.0, "current_hz": 2699998000.0, "governor": null, "boost": null},
    "memory": {"total_bytes": 8346030080, "available_bytes": 6123460000, "swap_bytes": 0, "transparent_huge_pages": "madvise"},
    "system": {"name": "vm-7", "os": "Debian GNU/Linux 12 (bookworm)", "kernel": "6.1.0-18-amd64", "virtual_machine": true, "hypervisor": "KVM"},
    "container": {"kind": "docker", "cgroup_version": "v2", "cpu_quota_cores": 2.0, "memory_limit_bytes": 6442450944},
    "gpu": {"driver": null, "devices": [], "unavailable": "no NVIDIA driver (libnvidia-ml.so.1 not found)"},
    "affinity": "0-1", "affinity_count": 2, "effective_cores": 2.0})json"));
  machine.id = 1;
  return machine;
}

namespace {

Estimate around(double value, double relative, std::int64_t n) {
  if (n < 2) return {.value = value, .n = n};
  return {.value = value, .low = value * (1 - relative), .high = value * (1 + relative), .n = n};
}

/// What a configuration is made to do.
struct Truth {
  double images_per_s;
  double batch_ms;
  double engine_cores;
  double loader_cores;
  std::int64_t batch;
};

Truth truth_of(std::int64_t batch, const std::string& precision, const std::string& mode) {
  const double limit = precision == "bf16" ? 96 : 41;
  const double overlap = mode == "async" ? 1.0 : 0.72;
  const double speed =
      limit * overlap *
      (1 - 0.35 / std::sqrt(static_cast<double>(batch)) - 0.004 * static_cast<double>(batch));
  const double loaders = speed * 0.0042;
  return {.images_per_s = speed,
          .batch_ms = 1e3 * static_cast<double>(batch) / speed * (mode == "async" ? 2 : 1),
          .engine_cores = std::min(1.97 - loaders, speed / limit * 1.7),
          .loader_cores = loaders,
          .batch = batch};
}

std::map<std::string, double> stages_ms(const Truth& truth) {
  return {{"read", 0.11},        {"decode", 2.9}, {"preprocess", 1.2},
          {"postprocess", 0.04}, {"write", 0.02}, {"infer", 1e3 * truth.engine_cores / truth.images_per_s}};
}

std::vector<Phase> phases_of(const SampleOptions& options, Random& random) {
  std::vector<Phase> phases;
  double at = 0;
  for (const auto& [name, length] :
       std::vector<std::pair<std::string, double>>{{"process_start", 0.031},
                                                   {"model_load", 0.142},
                                                   {"model_compile", 0.61},
                                                   {"first_inference", 0.044},
                                                   {"warmup", 0.9},
                                                   {"measure", options.measure_s}}) {
    const double end = at + length * (1 + 0.04 * random.normal());
    phases.push_back({name, at, end});
    at = end;
  }
  return phases;
}

std::vector<Series> series_of(const Truth& truth, const std::vector<Phase>& phases, Random& random) {
  const double begin = phases.back().begin_s, end = phases.back().end_s;
  const auto series = [&](std::string target, std::string name, std::string unit, double before,
                          double during, double noise) {
    Series made{.target = std::move(target), .name = std::move(name), .unit = std::move(unit)};
    for (double at = 0.1; at < end; at += 0.1) {
      made.at_s.push_back(at);
      made.values.push_back(std::max(0.0, (at > begin ? during : before) * (1 + noise * random.normal())));
    }
    return made;
  };
  std::vector<Series> all{
      series("engine", "cpu", "cores", 0.9, truth.engine_cores, 0.04),
      series("loader", "cpu", "cores", 0.05, truth.loader_cores, 0.15),
      series("rest", "cpu", "cores", 0.02, 0.015, 0.3),
      series("process", "memory_resident", "bytes", 2.1e8, 4.4e8, 0.002),
      series("machine", "cpu_user", "cores", 0.9, truth.engine_cores + truth.loader_cores, 0.04),
      series("machine", "cpu_system", "cores", 0.1, 0.06, 0.3),
      series("machine", "cpu_iowait", "cores", 0.02, 0.004, 0.5),
      series("machine", "cpu_steal", "cores", 0.01, 0.012, 0.7),
      series("process", "page_faults_minor", "per_s", 21000, 350, 0.3),
      series("process", "page_faults_major", "per_s", 0, 0, 0),
      series("process", "disk_read", "bytes_per_s", 0, 0, 0),
      series("process", "context_switches_voluntary", "per_s", 800, 2400, 0.1),
      series("process", "context_switches_involuntary", "per_s", 20, 130, 0.3)};
  all.push_back({.target = "machine",
                 .name = "cpu_frequency",
                 .unit = "hertz",
                 .unavailable = "not exported by this hypervisor"});
  return all;
}

std::vector<SeriesSummary> summaries_of(const Truth& truth) {
  const auto summary = [](std::string target, std::string name, std::string unit, double mean,
                          double spread) {
    return SeriesSummary{.target = std::move(target),
                         .name = std::move(name),
                         .unit = std::move(unit),
                         .mean = mean,
                         .max = mean * (1 + spread),
                         .min = mean * (1 - spread)};
  };
  std::vector<SeriesSummary> all{
      summary("process", "cpu", "cores", truth.engine_cores + truth.loader_cores + 0.015, 0.04),
      summary("process", "cpu_user", "cores", truth.engine_cores + truth.loader_cores - 0.04, 0.05),
      summary("process", "cpu_system", "cores", 0.055, 0.4),
      summary("engine", "cpu", "cores", truth.engine_cores, 0.06),
      summary("loader", "cpu", "cores", truth.loader_cores, 0.2),
      summary("process", "memory_resident", "bytes", 4.4e8 + 6e5 * static_cast<double>(truth.batch), 0.01),
      summary("process", "memory_peak", "bytes", 4.6e8 + 6e5 * static_cast<double>(truth.batch), 0),
      summary("machine", "cpu_user", "cores", truth.engine_cores + truth.loader_cores - 0.03, 0.05),
      summary("machine", "cpu_system", "cores", 0.07, 0.4),
      summary("machine", "cpu_iowait", "cores", 0.004, 1),
      summary("machine", "cpu_steal", "cores", 0.012, 1)};
  all.push_back({.target = "machine",
                 .name = "cpu_frequency",
                 .unit = "hertz",
                 .unavailable = "not exported by this hypervisor"});
  return all;
}

std::vector<Column> samples_of(const Truth& truth, const SampleOptions& options, double begin,
                               Random& random) {
  Column due{.name = "issued_s"}, done{.name = "done_s"};
  double at = begin;
  for (std::int64_t i = 0; i < options.samples; ++i) {
    const double slow = random.uniform() < 0.02 ? 1.6 : 1.0;
    const double latency = truth.batch_ms / 1e3 * slow * std::exp(0.04 * random.normal());
    due.values.push_back(at);
    done.values.push_back(at + latency);
    at += latency;
  }
  return {due, done};
}

CellSummary summary_of(const Truth& truth, const SampleOptions& options) {
  CellSummary cell;
  cell.runs_ok = options.repeat;
  const auto batches = options.repeat * options.samples;
  cell.figures["images_per_s"] = around(truth.images_per_s, 0.012, options.repeat);
  cell.figures["first_inference_s"] = around(0.83, 0.03, options.repeat);
  for (const auto& [name, factor] :
       std::map<std::string, double>{{"p50", 1.0}, {"p90", 1.06}, {"p95", 1.1}, {"p99", 1.58}})
    cell.latency_ms[name] = around(truth.batch_ms * factor, 0.02 * factor, batches);
  cell.latency_ms["p999"] = {.value = truth.batch_ms * 1.7, .n = batches};
  for (const auto& [name, length] : std::map<std::string, double>{{"process_start", 0.031},
                                                                  {"model_load", 0.142},
                                                                  {"model_compile", 0.61},
                                                                  {"first_inference", 0.044},
                                                                  {"warmup", 0.9},
                                                                  {"measure", options.measure_s}})
    cell.phases_s[name] = around(length, 0.03, options.repeat);
  for (const auto& [name, ms] : stages_ms(truth)) cell.stages_ms[name] = around(ms, 0.02, options.repeat);
  cell.telemetry = summaries_of(truth);
  cell.facts = {{"device", "CPU"}, {"precision", "f32"}, {"threads", "2"}, {"engine version", "2026.4.1"}};
  cell.outputs_checksum = "9c1185a5c5e9fc54";
  return cell;
}

Experiment experiment_of(const SampleOptions& options) {
  Experiment experiment{
      .id = 7,
      .created = "2026-03-14T09:26:53Z",
      .workload = "infer",
      .repeat = options.repeat,
      .seed = 20260314,
      .version = "0.1.0",
      .command = "neph infer models/resnet50.onnx --images photos --count 500 --batch 1,2,4,8,16"};
  experiment.spec = Json{{"model", "models/resnet50.onnx"},
                         {"images", options.hostile ? hostile_text : "photos"},
                         {"architecture", "in-process"},
                         {"count", 500},
                         {"cache", "warm"},
                         {"loaders", -1},
                         {"min_file_bytes", 2052}};
  const auto factor = [&](std::string name, const auto& values) {
    Factor made{.name = std::move(name)};
    for (const auto& value : values) made.values.emplace_back(value);
    if (made.values.size() > 1) experiment.factors.push_back(std::move(made));
  };
  factor("batch", options.batches);
  factor("precision", options.precisions);
  factor("mode", options.modes);
  return experiment;
}

void add_runs(Document& document, const CellSummary& cell, const Truth& truth, const SampleOptions& options,
              Random& random) {
  for (std::int64_t repeat = 0; repeat < options.repeat; ++repeat) {
    Run run{.id = static_cast<std::int64_t>(document.runs.size()) + 1,
            .experiment_id = 7,
            .cell = cell.cell.index,
            .repeat = repeat,
            .machine_id = 1,
            .started = "2026-03-14T09:27:00Z",
            .wall_s = options.measure_s + 2,
            .repro = cell.repro};
    const auto phases = phases_of(options, random);
    const double speed = truth.images_per_s * (1 + 0.008 * random.normal());
    run.result.figures = {{"images_per_s", "images/s", {.value = speed, .n = 500}}};
    run.result.series = series_of(truth, phases, random);
    run.result.samples = samples_of(truth, options, phases.back().begin_s, random);
    run.result.phases = phases;
    run.result.telemetry = cell.telemetry;
    document.runs.push_back(std::move(run));
  }
}

void shuffle_positions(Document& document, Random& random) {
  std::vector<std::int64_t> order(document.runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  shuffle(order, random);
  for (std::size_t i = 0; i < order.size(); ++i) document.runs[i].position = order[i];
}

void spoil(Document& document, bool hostile) {
  auto& doubtful = document.cells[1];
  doubtful.verdict = Verdict::doubtful;
  doubtful.warnings = {{WarningCode::stolen,
                        "the hypervisor took 3.1 % of the processor time that was wanted",
                        "Repeat the runs when the host is quieter, or ask for dedicated cores."}};
  auto& invalid = document.cells.back();
  invalid.verdict = Verdict::invalid;
  invalid.warnings = {{WarningCode::answers_differ, "12 of 500 top-1 answers differ from those of batch 1",
                       "Compare with --precision f32 before using this setting.", Weight::voids}};
  invalid.outputs_checksum = "differs";
  auto& failing = document.cells[2];
  failing.runs_failed = 1;
  failing.runs_ok -= 1;
  failing.failures = {hostile ? hostile_text : "the worker was killed by signal 9 (out of memory?)"};
  if (hostile) doubtful.cell.label = hostile_text;
}

}  // namespace

Document sample_document(const SampleOptions& options) {
  Document document{.experiment = experiment_of(options), .machines = {sample_machine()}};
  Random random(20260314);
  for (const auto batch : options.batches)
    for (const auto& precision : options.precisions)
      for (const auto& mode : options.modes) {
        const auto truth = truth_of(batch, precision, mode);
        auto cell = summary_of(truth, options);
        cell.cell.index = static_cast<std::int64_t>(document.cells.size());
        const std::map<std::string, Json> values{{"batch", batch}, {"precision", precision}, {"mode", mode}};
        cell.cell.factors = Json::object();
        for (const auto& factor : document.experiment.factors) {
          cell.cell.factors[factor.name] = values.at(factor.name);
          cell.cell.label +=
              fmt::format("{}{} {}", cell.cell.label.empty() ? "" : ", ", factor.name,
                          values.at(factor.name).is_string() ? values.at(factor.name).get<std::string>()
                                                             : values.at(factor.name).dump());
        }
        if (cell.cell.label.empty()) cell.cell.label = "all";
        cell.repro = fmt::format(
            "neph infer models/resnet50.onnx --images photos --count 500 --batch {} --precision {} --mode {}",
            batch, precision, mode);
        add_runs(document, cell, truth, options, random);
        document.cells.push_back(std::move(cell));
      }
  shuffle_positions(document, random);
  if (document.cells.size() > 3) spoil(document, options.hostile);
  return document;
}

Document single_run_document() {
  return sample_document({.batches = {8}, .precisions = {"f32"}, .modes = {"sync"}, .repeat = 1});
}

Document failed_document() {
  auto document =
      sample_document({.batches = {1, 65536}, .precisions = {"f32"}, .modes = {"sync"}, .repeat = 2});
  for (auto& cell : document.cells) {
    cell = CellSummary{.cell = cell.cell,
                       .runs_failed = 2,
                       .failures = {"batch 65536 needs 36.8 GiB; 6 GiB are allowed"},
                       .verdict = Verdict::invalid,
                       .repro = cell.repro};
  }
  for (auto& run : document.runs) {
    run.status = RunStatus::failed;
    run.reason = "batch 65536 needs 36.8 GiB; 6 GiB are allowed";
    run.result = {};
  }
  return document;
}

Document empty_document() {
  auto document = sample_document();
  document.cells.clear();
  document.runs.clear();
  return document;
}

/// tests/e2e/test_report_in_browser.py opens these.
TEST(SamplePages, AreWrittenForTheBrowser) {
  const char* build = std::getenv("NEPH_BUILD");
  if (!build) GTEST_SKIP() << "NEPH_BUILD names no folder to write to";
  const std::map<std::string, Document> pages{
      {"typical", sample_document()},
      {"single", single_run_document()},
      {"failed", failed_document()},
      {"empty", empty_document()},
      {"served", served_document()},
      {"load", load_document()},
      {"training", training_document()},
      {"study", training_document({.cores = {1, 2, 4, 8, 16},
                                   .batches = {32, 64, 128},
                                   .places = {"process", "docker"},
                                   .crosstalk = 0.004,
                                   .fixed_s = 0.005,
                                   .noise = 0.01})},
      {"command", command_document({.cores = {1, 2, 4, 8}, .places = {"process", "docker"}})},
      {"hostile", sample_document({.hostile = true})},
      {"large",
       sample_document({.batches = {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96}, .repeat = 20})}};
  for (const auto& [name, document] : pages) {
    const auto page = html(document);
    EXPECT_LT(page.size(), std::size_t{3} << 20) << name;
    ASSERT_TRUE(write_file(std::filesystem::path(build) / ("report-sample-" + name + ".html"), page)) << name;
  }
}

}  // namespace neph::report
