// Made-up experiments over architectures, and under load.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/random.hpp"
#include "report/sample_document_test.hpp"
#include "stats/stats.hpp"

namespace neph::report {
namespace {

constexpr double mib = 1 << 20;

std::vector<double> repeated(std::int64_t repeats, double value, double noise, Random& random) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < repeats; ++i) values.push_back(value * (1 + noise * random.normal()));
  return values;
}

SeriesSummary summary(std::string target, std::string name, std::string unit, double mean) {
  return {.target = std::move(target),
          .name = std::move(name),
          .unit = std::move(unit),
          .mean = mean,
          .max = mean * 1.02,
          .min = mean * 0.97};
}

/// What a configuration is made to do, all in milliseconds per image but the memory.
struct Truth {
  bool served = false, grpc = false, async = false, jpeg = false, files = true;
  double batch = 1;

  double engine_cpu() const { return 40 - 6 * (1 - 1 / std::sqrt(batch)); }
  double pictures_cpu() const { return files ? 4.2 : 0; }
  double client_cpu() const {
    return served ? (grpc ? 0.5 : 0.35) / std::sqrt(batch) + (jpeg ? 0.05 : 0.3) : 0;
  }
  double server_cpu() const {
    return served ? (grpc ? 0.6 : 0.45) / std::sqrt(batch) + (jpeg ? 0.05 : 0.35) : 0;
  }
  double cpu() const { return engine_cpu() + pictures_cpu() + client_cpu() + server_cpu(); }
  /// Of a sync configuration one core idles now and then.
  double ms() const { return cpu() / (async ? 1.96 : served ? 1.55 : 1.62); }
  double depth() const { return async ? (served ? 4 : 2) : 1; }
  double response_ms() const { return ms() * batch * depth(); }
  double client_mib() const { return 60 + 2.3 * batch * depth() * (jpeg ? 0.1 : 1); }
  double server_mib() const { return 310 + 2.3 * batch * (1 + 0.4 * depth()); }
};

/// The parts of each request; what the client waits beyond them is network and unexplained.
void add_requests(const Truth& truth, double begin, Random& random, RunResult& result) {
  std::map<std::string, std::vector<double>> columns;
  double at = begin;
  for (int i = 0; i < 60; ++i) {
    const double response = truth.response_ms() * 1e-3 * std::exp(0.05 * random.normal());
    columns["issued_s"].push_back(at);
    columns["done_s"].push_back(at + response);
    columns["items"].push_back(truth.batch);
    columns["infer_s"].push_back(response);
    at += response / truth.depth();
    if (!truth.served) continue;
    const double send = 1e-3 * (0.2 + 0.1 * truth.batch), queue = truth.async ? response * 0.42 : 4e-5;
    const double decode = 1e-3 * (truth.jpeg ? 2.1 : 0.03) * truth.batch, join = 2e-5, encode = 3e-5;
    const double network = 1e-3 * (0.3 + 0.25 * truth.batch), unexplained = 1e-3 * std::fabs(random.normal());
    columns["send_s"].push_back(send);
    columns["server_decode_s"].push_back(decode);
    columns["server_queue_s"].push_back(queue);
    columns["server_batch_s"].push_back(join);
    columns["server_encode_s"].push_back(encode);
    columns["network_s"].push_back(network);
    columns["unexplained_s"].push_back(unexplained);
    columns["server_infer_s"].push_back(response - send - decode - queue - join - encode -
                                        (network + unexplained));
    columns["receive_s"].push_back(2e-5 * truth.batch);
  }
  for (auto& [name, values] : columns) result.samples.push_back({name, std::move(values)});
}

std::vector<SeriesSummary> telemetry_of(const Truth& truth, double speed) {
  const auto cores = [&](double ms) { return ms * 1e-3 * speed; };
  const double server_pictures = truth.jpeg ? truth.pictures_cpu() : 0;
  const double client_pictures = truth.pictures_cpu() - server_pictures;
  std::vector<SeriesSummary> all{summary("process", "cpu", "cores", cores(truth.cpu())),
                                 summary("machine", "cpu_user", "cores", cores(truth.cpu())),
                                 summary("machine", "cpu_system", "cores", 0.02)};
  if (!truth.served) {
    all.push_back(summary("engine", "cpu", "cores", cores(truth.engine_cpu())));
    all.push_back(summary("loader", "cpu", "cores", cores(client_pictures)));
    all.push_back(summary("rest", "cpu", "cores", 0.002));
    all.push_back(summary("process", "memory_peak", "bytes", truth.server_mib() * mib));
    return all;
  }
  all.push_back(summary("process", "memory_peak", "bytes", (truth.client_mib() + truth.server_mib()) * mib));
  all.push_back(summary("client", "cpu", "cores", cores(truth.client_cpu() + client_pictures)));
  all.push_back(summary("client_loader", "cpu", "cores", cores(client_pictures)));
  all.push_back(summary("client", "memory_peak", "bytes", truth.client_mib() * mib));
  all.push_back(
      summary("server", "cpu", "cores", cores(truth.server_cpu() + truth.engine_cpu() + server_pictures)));
  all.push_back(summary("server_engine", "cpu", "cores", cores(truth.engine_cpu())));
  all.push_back(summary("server_loader", "cpu", "cores", cores(server_pictures)));
  all.push_back(summary("server", "memory_peak", "bytes", truth.server_mib() * mib));
  return all;
}

Series line(std::string target, double level, Random& random) {
  Series made{.target = std::move(target), .name = "cpu", .unit = "cores"};
  for (double at = 0.1; at < 4; at += 0.1) {
    made.at_s.push_back(at);
    made.values.push_back(std::max(0.0, (at > 1 ? level : 0.3 * level) * (1 + 0.04 * random.normal())));
  }
  return made;
}

Run run_of(const Truth& truth, std::int64_t cell, std::int64_t repeat, double drift, Random& random) {
  Run run{.cell = cell, .repeat = repeat, .started = "2026-03-14T09:27:00Z", .wall_s = 5};
  const double speed = 1e3 / truth.ms() * drift * (1 + (truth.served ? 0.008 : 0.004) * random.normal());
  run.result.figures = {{"images_per_s", "images/s", {.value = speed, .n = 1}}};
  run.result.phases = {{"process_start", 0, 0.03}, {"warmup", 0.7, 1}, {"measure", 1, 4}};
  if (truth.served)
    run.result.phases.insert(run.result.phases.begin() + 1,
                             {{"server_start", 0.03, 0.6}, {"connect", 0.6, 0.7}});
  else
    run.result.phases.insert(run.result.phases.begin() + 1, {"model_compile", 0.03, 0.7});
  run.result.telemetry = telemetry_of(truth, speed);
  for (auto& quantity : run.result.telemetry)
    if (quantity.name == "memory_peak") quantity.max = *quantity.max * (1 + 0.004 * random.normal());
  for (const auto& quantity : run.result.telemetry)
    if (quantity.name == "cpu") run.result.series.push_back(line(quantity.target, *quantity.mean, random));
  add_requests(truth, 1, random, run.result);
  return run;
}

CellSummary summary_of(const Document& document, Cell cell, const Truth& truth) {
  CellSummary made{.cell = std::move(cell)};
  std::map<std::string, std::vector<double>> phases;
  std::vector<double> speeds;
  std::vector<std::vector<double>> latencies;
  for (const auto& run : document.runs) {
    if (run.cell != made.cell.index) continue;
    ++made.runs_ok;
    speeds.push_back(run.result.figures[0].estimate.value);
    for (const auto& phase : run.result.phases) phases[phase.name].push_back(phase.end_s - phase.begin_s);
    latencies.emplace_back(60, truth.response_ms());
    made.telemetry = run.result.telemetry;
  }
  made.figures["images_per_s"] = stats::mean_estimate(speeds);
  for (const auto& [name, lengths] : phases) made.phases_s[name] = stats::mean_estimate(lengths);
  for (const auto& [name, factor] : std::map<std::string, double>{{"p50", 1}, {"p95", 1.08}, {"p99", 1.12}})
    made.latency_ms[name] = {.value = truth.response_ms() * factor,
                             .low = truth.response_ms() * factor * 0.98,
                             .high = truth.response_ms() * factor * 1.03,
                             .n = 180};
  made.stages_ms = {{"read", {.value = 0.1, .n = 3}},
                    {"decode", {.value = 2.9, .n = 3}},
                    {"preprocess", {.value = 1.2, .n = 3}}};
  if (truth.served)
    for (const auto* name : {"send", "network", "server_queue", "server_infer", "unexplained", "receive"})
      made.stages_ms[name] = {.value = 0.4, .n = 3};
  else
    made.stages_ms["infer"] = {.value = truth.ms() * 0.97, .n = 3};
  made.facts = {{"in_flight", std::to_string(static_cast<int>(truth.depth()))}, {"precision", "f32"}};
  made.outputs_checksum = "9c1185a5c5e9fc54";
  made.repro = "neph infer resnet50 --images photos";
  return made;
}

Json factors_of(const Truth& truth) {
  Json factors{{"architecture", truth.served ? "local" : "in-process"}};
  if (truth.served) factors["protocol"] = truth.grpc ? "grpc" : "http";
  if (truth.served) factors["payload"] = truth.jpeg ? "jpeg" : "tensor";
  factors["batch"] = static_cast<std::int64_t>(truth.batch);
  factors["mode"] = truth.async ? "async" : "sync";
  if (!truth.jpeg) factors["files"] = truth.files ? "on" : "off";
  return factors;
}

std::string label_of(const Json& factors) {
  std::string label;
  for (const auto& [name, value] : factors.items())
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", name,
                         value.is_string() ? value.get<std::string>() : value.dump());
  return label;
}

std::vector<Truth> all_truths() {
  std::vector<Truth> all;
  for (const bool grpc : {false, true})
    for (const double batch : {1.0, 4.0, 16.0})
      for (const bool async : {false, true}) {
        if (!grpc)
          for (const bool files : {true, false})
            all.push_back({.async = async, .files = files, .batch = batch});
        all.push_back({.served = true, .grpc = grpc, .async = async, .batch = batch});
      }
  all.push_back({.served = true, .grpc = true, .async = true, .jpeg = true, .batch = 4});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.served, a.grpc, a.jpeg) < std::tuple(b.served, b.grpc, b.jpeg);
  });
  return all;
}

Factor factor(std::string name, std::vector<Json> values) { return {std::move(name), std::move(values)}; }

/// A queue in front of a server that can do `capacity` requests a second, each in `least_ms`.
CellSummary load_cell(std::int64_t index, double rate, std::int64_t clients, Random& random) {
  constexpr double capacity = 130, least_ms = 7.2;
  const bool closed = clients > 0;
  const double answered =
      closed ? std::min(capacity, 1e3 / least_ms * static_cast<double>(clients)) : std::min(rate, capacity);
  const double busy = std::min(0.97, answered / capacity);
  const double p50 = closed ? 1e3 * static_cast<double>(clients) / answered
                            : (rate > capacity ? 2200 : least_ms * (1 + 0.6 * busy / (1 - busy)));
  CellSummary cell{.runs_ok = 3};
  cell.cell.index = index;
  cell.cell.factors = closed ? Json{{"clients", clients}} : Json{{"rate", rate}};
  cell.cell.label = label_of(cell.cell.factors);
  cell.cell.spec = Json{{"url", "grpc://127.0.0.1:8001"}, {"model", "resnet50"}, {"p99", "50ms"}};
  cell.cell.spec.update(cell.cell.factors);
  cell.facts["loop"] = closed ? fmt::format("closed, {} clients", clients) : "open, poisson";
  const auto around = [&](double value, double noise) {
    return stats::mean_estimate(repeated(3, value, noise, random));
  };
  cell.figures["requests_per_s"] = around(answered, 0.006);
  if (!closed) cell.figures["offered_per_s"] = around(rate, 0.001);
  for (const auto& [name, factor] :
       std::map<std::string, double>{{"p50", 1}, {"p90", 1.9}, {"p99", 3.1}, {"p999", 4.4}})
    cell.latency_ms[name] = around(p50 * (closed ? 1 + 0.1 * factor : factor), 0.03);
  const double late = cell.latency_ms["p99"].value > 50 ? (rate > capacity ? 0.98 : 0.04) : 0.002;
  cell.figures["late_share"] = {.value = late, .low = late * 0.8, .high = late * 1.2, .n = 3000};
  cell.figures["goodput_per_s"] = around(answered * (1 - late), 0.006);
  cell.figures["requests_answered"] = {.value = answered * 30, .n = 3};
  cell.figures["requests_timed_out"] = {.value = rate > capacity ? 212.0 : 0.0, .n = 3};
  for (const auto& [name, ms] : std::map<std::string, double>{{"issue", 0.02},
                                                              {"network", 0.3},
                                                              {"server_queue", p50 - 6.9},
                                                              {"server_infer", 6.4},
                                                              {"unexplained", 0.1}})
    cell.stages_ms[name] = around(ms, 0.02);
  if (closed)
    cell.warnings = {{WarningCode::closed_loop, "while the server is slow it is asked less",
                      "--rate measures what users see", Weight::hint}};
  if (rate > capacity) {
    cell.verdict = Verdict::doubtful;
    cell.warnings = {{WarningCode::overloaded, "the queue grew as long as the run lasted", "lower the rate"}};
  }
  return cell;
}

}  // namespace

Document served_document(std::int64_t repeat) {
  Document document{.experiment = {.id = 8,
                                   .created = "2026-03-14T09:26:53Z",
                                   .workload = "infer",
                                   .repeat = repeat,
                                   .version = "0.1.0",
                                   .command = "neph infer resnet50 --architecture in-process,local"},
                    .machines = {sample_machine()}};
  document.experiment.spec = Json{{"model", "models/resnet50.onnx"}, {"images", "photos"}};
  document.experiment.factors = {factor("architecture", {"in-process", "local"}),
                                 factor("protocol", {"http", "grpc"}),
                                 factor("payload", {"tensor", "jpeg"}),
                                 factor("batch", {1, 4, 16}),
                                 factor("mode", {"sync", "async"}),
                                 factor("files", {"on", "off"})};
  Random random(20260314);
  std::vector<double> drifts;  // of the machine, felt by all configurations of a repeat
  for (std::int64_t i = 0; i < repeat; ++i) drifts.push_back(1 + 0.02 * random.normal());
  std::vector<std::int64_t> order;
  for (const auto& truth : all_truths()) {
    const auto index = static_cast<std::int64_t>(document.cells.size());
    for (std::int64_t i = 0; i < repeat; ++i) {
      order.push_back(static_cast<std::int64_t>(order.size()));
      document.runs.push_back(run_of(truth, index, i, drifts[static_cast<std::size_t>(i)], random));
      document.runs.back().id = std::ssize(document.runs);
    }
    const auto factors = factors_of(truth);
    document.cells.push_back(summary_of(
        document, {.index = index, .factors = factors, .spec = factors, .label = label_of(factors)}, truth));
  }
  shuffle(order, random);
  for (std::size_t i = 0; i < order.size(); ++i) document.runs[i].position = order[i];
  return document;
}

Document load_document() {
  Document document{.experiment = {.id = 9,
                                   .created = "2026-03-14T09:26:53Z",
                                   .workload = "load",
                                   .repeat = 3,
                                   .version = "0.1.0",
                                   .command = "neph load grpc://127.0.0.1:8001 --model resnet50"},
                    .machines = {sample_machine()}};
  document.experiment.spec = Json{{"model", "resnet50"}, {"url", "grpc://127.0.0.1:8001"}, {"p99", "50ms"}};
  document.experiment.factors = {factor("rate", {10, 20, 40, 80, 120, 160}), factor("clients", {1, 2, 4, 8})};
  Random random(5);
  for (const double rate : {10, 20, 40, 80, 120, 160})
    document.cells.push_back(load_cell(std::ssize(document.cells), rate, 0, random));
  for (const std::int64_t clients : {1, 2, 4, 8})
    document.cells.push_back(load_cell(std::ssize(document.cells), 0, clients, random));
  return document;
}

}  // namespace neph::report
