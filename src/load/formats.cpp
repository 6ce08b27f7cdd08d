#include "load/formats.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/metrics.hpp"
#include "record/phases.hpp"
#include "record/stages.hpp"
#include "stats/stats.hpp"

namespace neph::load {
namespace {

double value_of(const CellSummary& cell, const std::string& name) {
  const auto found = cell.figures.find(name);
  return found == cell.figures.end() ? 0 : found->second.value;
}

double value_of(const CellSummary& cell, const Metric& metric) {
  return value_of(cell, std::string(metric.name));
}

/// Mean microseconds per request in the stages.
double stages_us(const CellSummary& cell, std::initializer_list<StageKind> kinds) {
  double ms = 0;
  for (const auto& kind : kinds)
    if (const auto found = cell.stages_ms.find(std::string(kind.name)); found != cell.stages_ms.end())
      ms += found->second.value;
  return 1e3 * ms;
}

// ---- LoadGen

constexpr std::string_view rule = "================================================\n";
constexpr double early_stopping_doubt = 0.01;
/// Fewer queries than this LoadGen does not judge by their percentiles.
constexpr std::int64_t fewest_queries = 64;
/// A phase is a difference of seconds as floating-point numbers.
constexpr double rounding_s = 1e-6;

std::string_view scenario_name(Scenario scenario) {
  switch (scenario) {
    case Scenario::single_stream:
      return "SingleStream";
    case Scenario::multi_stream:
      return "MultiStream";
    case Scenario::server:
      return "Server";
    case Scenario::offline:
      return "Offline";
    case Scenario::none:
      break;
  }
  return "";
}

std::int64_t queries(const CellSummary& cell) {
  return std::llround(value_of(cell, outcome_name(Outcome::answered)));
}

/// Of the response time.
std::string nanoseconds(const CellSummary& cell, std::string_view statistic) {
  const double ms = value_of(cell, time_name(metric::response, statistic));
  return std::isfinite(ms) ? fmt::format("{:.0f}", 1e6 * ms) : "0";
}

std::string main_line(const Tested& tested) {
  const auto& cell = *tested.cell;
  switch (tested.scenario) {
    case Scenario::single_stream:
      return fmt::format("90.0th percentile latency (ns) : {}\n", nanoseconds(cell, statistic::p90));
    case Scenario::multi_stream:
      return fmt::format("99.0th percentile latency (ns) : {}\n", nanoseconds(cell, statistic::p99));
    case Scenario::server:
      return fmt::format("Completed samples per second    : {:.2f}\n",
                         value_of(cell, metric::inferences_per_s));
    case Scenario::offline:
    case Scenario::none:
      break;
  }
  return fmt::format("Samples per second: {:.2f}\n", value_of(cell, metric::inferences_per_s));
}

struct Judgement {
  bool performance = true, duration = true, queries = true, early_stopping = true;
  bool valid(const CellSummary& cell) const {
    return performance && duration && queries && early_stopping && cell.verdict != Verdict::invalid;
  }
};

Judgement judge(const Tested& tested) {
  const auto& cell = *tested.cell;
  Judgement judgement;
  const auto n = queries(cell);
  judgement.queries = n >= std::max<std::int64_t>(1, tested.count);
  const auto measured = cell.phases_s.find(std::string(phase::measure.name));
  const double lasted_s = measured == cell.phases_s.end() ? 0 : measured->second.value;
  judgement.duration = lasted_s >= tested.duration_s - rounding_s;
  if (tested.scenario == Scenario::single_stream || tested.scenario == Scenario::multi_stream)
    judgement.early_stopping = n >= fewest_queries;
  if (tested.scenario == Scenario::server && tested.promise.limit_s > 0) {
    const auto found = cell.figures.find(std::string(metric::late_share.name));
    const double allowed = 1 - tested.promise.q;
    const double share = found == cell.figures.end() ? 1 : found->second.value;
    const auto late = std::llround(share * static_cast<double>(n));
    judgement.performance = share <= allowed;
    judgement.early_stopping = stats::chance_of_at_most(late, n, allowed) <= early_stopping_doubt;
  }
  return judgement;
}

/// What makes the numbers themselves invalid; LoadGen has no line for it.
std::string invalid_line(const CellSummary& cell) {
  std::string why;
  for (const auto& warning : cell.warnings)
    if (warning.weight == Weight::voids) why += (why.empty() ? "" : "; ") + warning.message;
  return cell.verdict == Verdict::invalid ? fmt::format("  Measurement valid : NO ({})\n", why) : "";
}

std::string summary_of(const Tested& tested) {
  const auto& cell = *tested.cell;
  const auto judgement = judge(tested);
  const auto yes = [](bool holds) { return holds ? "Yes" : "NO"; };
  auto text = fmt::format(
      "{0}MLPerf Results Summary\n{0}SUT name : {1}\nScenario : {2}\nMode     : PerformanceOnly\n{3}", rule,
      tested.server, scenario_name(tested.scenario), main_line(tested));
  text += fmt::format("Result is : {}\n", judgement.valid(cell) ? "VALID" : "INVALID");
  if (tested.scenario == Scenario::server)
    text += fmt::format("  Performance constraints satisfied : {}\n", yes(judgement.performance));
  text += fmt::format(
      "  Min duration satisfied : {}\n  Min queries satisfied : {}\n  Early stopping satisfied: {}\n",
      yes(judgement.duration), yes(judgement.queries), yes(judgement.early_stopping));
  text += invalid_line(cell);
  text += fmt::format("Early Stopping Result:\n * Run {}.\n\n{}Additional Stats\n{}",
                      judgement.early_stopping ? "successful" : "unsuccessful", rule, rule);
  if (tested.scenario == Scenario::server)
    text += fmt::format("Scheduled samples per second : {:.2f}\n",
                        value_of(cell, metric::offered_per_s) * static_cast<double>(tested.batch));
  for (const auto& [words, name] :
       {std::pair{"Min latency (ns)", statistic::min}, std::pair{"Max latency (ns)", statistic::max},
        std::pair{"Mean latency (ns)", statistic::mean},
        std::pair{"50.00 percentile latency (ns)", statistic::p50},
        std::pair{"90.00 percentile latency (ns)", statistic::p90},
        std::pair{"95.00 percentile latency (ns)", statistic::p95},
        std::pair{"99.00 percentile latency (ns)", statistic::p99},
        std::pair{"99.90 percentile latency (ns)", statistic::p999}})
    text += fmt::format("{:<32}: {}\n", words, nanoseconds(cell, name));
  text += fmt::format(
      "\n{0}Test Parameters Used\n{0}samples_per_query : {1}\ntarget_qps : {2}\ntarget_latency (ns): "
      "{3:.0f}\n",
      rule, tested.batch, tested.target_per_s, 1e9 * tested.promise.limit_s);
  text += fmt::format("min_duration (ms): {:.0f}\nmin_query_count : {}\n\n", 1e3 * tested.duration_s,
                      tested.count);
  if (cell.warnings.empty()) text += "No warnings encountered during test.\n";
  for (const auto& warning : cell.warnings) text += fmt::format("WARNING: {}\n", warning.message);
  return text + fmt::format("\nMeasured by neph in LoadGen's words; not a result of MLPerf.\n");
}

}  // namespace

Result<std::string> perf_analyzer_csv(std::vector<Tested> tested) {
  std::erase_if(tested, [](const Tested& row) { return row.cell->runs_ok == 0; });
  if (tested.empty())
    return fail(ErrorCode::invalid_argument, "no configuration has results for perf_analyzer's table");
  const bool closed = tested.front().closed;
  if (std::any_of(tested.begin(), tested.end(), [&](const Tested& row) { return row.closed != closed; }))
    return fail(ErrorCode::invalid_argument,
                "perf_analyzer's table has either clients or rates; measure closed and open loops apart");
  std::stable_sort(tested.begin(), tested.end(), [](const Tested& a, const Tested& b) {
    return value_of(*a.cell, metric::inferences_per_s) < value_of(*b.cell, metric::inferences_per_s);
  });
  std::string text = fmt::format(
      "{},Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute Input,"
      "Server Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 "
      "latency\n",
      closed ? "Concurrency" : "Request Rate");
  for (const auto& row : tested) {
    const auto& cell = *row.cell;
    text += fmt::format("{},{:.6g}", row.level, value_of(cell, metric::inferences_per_s));
    for (const double us : {stages_us(cell, {stage::issue, stage::connect}),
                            stages_us(cell, {stage::network, stage::unexplained, stage::network_and_server,
                                             stage::server_socket}),
                            stages_us(cell, {stage::server_queue}),
                            stages_us(cell, {stage::server_decode, stage::server_batch}),
                            stages_us(cell, {stage::server_infer}), stages_us(cell, {stage::server_encode}),
                            stages_us(cell, {stage::receive}),
                            1e3 * value_of(cell, time_name(metric::response, statistic::p50)),
                            1e3 * value_of(cell, time_name(metric::response, statistic::p90)),
                            1e3 * value_of(cell, time_name(metric::response, statistic::p95)),
                            1e3 * value_of(cell, time_name(metric::response, statistic::p99))})
      text += fmt::format(",{:.0f}", us);
    text += "\n";
  }
  return text;
}

Result<std::string> mlperf_summary(const std::vector<Tested>& tested) {
  std::string text;
  for (const auto& row : tested) {
    if (row.scenario == Scenario::none)
      return fail(ErrorCode::invalid_argument,
                  "LoadGen's summary needs a --scenario: single-stream, multi-stream, server or offline");
    if (row.cell->runs_ok > 0) text += (text.empty() ? "" : "\n") + summary_of(row);
  }
  if (text.empty())
    return fail(ErrorCode::invalid_argument, "no configuration has results for LoadGen's summary");
  return text;
}

}  // namespace neph::load
