// Where the report finds the figures that it shows by name: the only place that knows how telemetry and
// figures are called. A figure that is not there is empty, never 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metrics.hpp"
#include "record/phases.hpp"
#include "record/stages.hpp"
#include "record/telemetry.hpp"
#include "record/views.hpp"
#include "report/report.hpp"

namespace neph::report {

/// nullptr: not measured.
const SeriesSummary* find_telemetry(const std::vector<SeriesSummary>& telemetry, std::string_view target,
                                    const Metric& quantity);
const SeriesSummary* find_telemetry(const CellSummary& cell, std::string_view target, const Metric& quantity);
const Estimate* find_estimate(const std::map<std::string, Estimate>& estimates, std::string_view name);
const Estimate* find_estimate(const std::map<std::string, Estimate>& figures, const Metric& metric);

const View& view_of(const Document& document);
/// `text` with the view's words for {item}, {items}, {sample}, {samples}, {latency}, {stage_time} and {rate}.
std::string worded(std::string_view text, const View& view);

/// The main metric; an Estimate without a value when no run ended well.
Estimate speed_of(const Document& document, const CellSummary& cell);
/// "44.7 images/s", without its interval.
std::string speed_text(const Document& document, const CellSummary& cell);
/// Of one run that ended well.
std::optional<double> speed_of(const Document& document, const Run& run);
/// Time per item, where the main metric is items per second: what a faster configuration saves.
std::optional<double> ms_per_item(const Document& document, const Run& run);
/// CPU time per item of `target`: see busy_cores().
std::optional<double> cpu_ms_per_item(const Document& document, const Run& run, std::string_view target);
/// Mean cores that `target` kept busy in the run.
std::optional<double> busy_cores(const Run& run, std::string_view target);
/// Most memory that `target` held in the run.
std::optional<double> peak_memory_bytes(const Run& run, std::string_view target);

/// The target of the threads that run the network: the server's where there is one, for "engine" is then the
/// client's thread that makes requests.
std::string_view engine_target(const CellSummary& cell);

/// Mean cores that the threads of `target` kept busy: application, process, loader, engine, rest, client, ...
std::optional<double> busy_cores(const CellSummary& cell, std::string_view target);
/// Mean cores of the whole machine that were not to be had by anybody else: busy for any process, or taken
/// away by the hypervisor. Empty where the kernel did not tell.
std::optional<double> taken_cores(const CellSummary& cell);
/// Most memory that the application held at any time of a measurement, in bytes: the sum of its processes'
/// peaks.
std::optional<double> peak_memory_bytes(const CellSummary& cell);
/// Of the busiest GPU: the mean share of time in which it computed, in per cent, for anybody.
std::optional<double> gpu_percent(const CellSummary& cell);
/// Of the fullest GPU: most memory that was taken, by anybody, in bytes.
std::optional<double> gpu_memory_bytes(const CellSummary& cell);
/// Cores that the process can keep busy, from the fingerprint: the least of processors, affinity and quota.
std::optional<double> usable_cores(const Json& machine);
/// Cores that the machine has online, from the fingerprint: what taken_cores() is a part of.
std::optional<double> machine_cores(const Json& machine);

/// Names of the phases, stages or quantiles that any cell has: known ones in the order of a run, then the
/// others.
std::vector<std::string> phase_names(const std::vector<CellSummary>& cells);
std::vector<std::string> stage_names(const std::vector<CellSummary>& cells);
std::vector<std::string> quantile_names(const std::vector<CellSummary>& cells);
/// Those before the measurement, so that their sum is what a cold start costs: neither the measurement, whose
/// length is chosen, nor what comes after it.
std::vector<std::string> preparing_phases(const std::vector<CellSummary>& cells);

/// Cells from the best to the worst by the main metric; those without it last. In their own order where none
/// is better.
std::vector<const CellSummary*> by_speed(const Document& document);

/// by_speed() without the invalid cells, so that no number that must not be used is called the fastest; with
/// them when nothing else has a speed. Cells without a speed are left out; all, where none is better.
std::vector<const CellSummary*> ranked(const Document& document);

/// The run that stands for a cell in charts over time: among those that ended well and have series, the one
/// with the median speed (the lower of two). nullptr: there is none.
const Run* median_run(const Document& document, std::int64_t cell);

/// A factor's value in this configuration; null: it is not varied, or means nothing here.
Json factor_of(const CellSummary& cell, const std::string& name);
/// A field of the workload's description as this cell had it; null where it is not stated.
Json field_of(const CellSummary& cell, const Experiment& experiment, const std::string& name);

/// "valid", "doubtful", "invalid"; without a run that ended well "failed" or "not run".
std::string verdict_text(const CellSummary& cell);

/// A value of a factor as a person writes it: text without quotes.
std::string factor_text(const Json& value);

}  // namespace neph::report
