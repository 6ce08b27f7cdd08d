// The nouns of an experiment: factors × repeats → runs, and what the repeats of a cell say together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "record/run.hpp"

namespace neph {

/// One thing that is varied: a field of the workload's description, with its values in the order given.
struct Factor {
  std::string name;
  std::vector<Json> values;
};

template <class Visit, Describes<Factor> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "the field that is varied");
  v("values", s.values, "its values, in the order given");
}

/// Where the varied `field` has `value`, `fields` mean nothing: their values make no cells of their own.
struct Idle {
  std::string field;
  Json value;
  std::vector<std::string> fields;
};

template <class Visit, Describes<Idle> Self>
void describe(Visit&& v, Self& s) {
  v("field", s.field, "the field that decides");
  v("value", s.value, "where it has this value");
  v("fields", s.fields, "these mean nothing");
}

/// Cells × repeats, and their seed. Where its runs were made, they say themselves.
struct Experiment {
  std::int64_t id = 0;   ///< given by the store
  std::string created;   ///< UTC
  std::string workload;  ///< what a run does: infer
  Json spec;             ///< the workload's fields that all cells share (those that are factors left out)
  std::vector<Factor> factors;  ///< in the order of the workload's description; empty: one cell
  std::vector<Idle> idle;       ///< combinations that are the same
  std::int64_t repeat = 1;
  std::uint64_t seed = 0;  ///< of the order of runs
  std::string version;     ///< of neph
  std::string command;     ///< the command line that repeats it
  /// What p95 of the recommended cell's latency must keep to; 0: no limit. No run depends on it.
  double latency_limit_s = 0;
  std::string price;       ///< of the machine, as 0.40USD/h; empty: results say nothing of money
  std::string price_rule;  ///< name of the rule that it is billed by; empty: per second
};

template <class Visit, Describes<Experiment> Self>
void describe(Visit&& v, Self& s) {
  v("id", s.id, "number in the store");
  v("created", s.created, "UTC");
  v("workload", s.workload, "what a run does: infer");
  v("spec", s.spec, "what all cells share");
  v("factors", s.factors, "what is varied");
  v("idle", s.idle, "what means nothing where");
  v("repeat", s.repeat, "runs per cell", at_least(1));
  v("seed", s.seed, "of the order of runs");
  v("version", s.version, "of neph");
  v("command", s.command, "the command that repeats it");
  v("latency_limit_s", s.latency_limit_s, "what p95 of the recommended cell's latency must keep to; 0: none",
    at_least(0));
  v("price", s.price, "of the machine, as 0.40USD/h; empty: not known");
  v("price_rule", s.price_rule, "the rule that it is billed by; empty: per second");
}

/// One combination of factor values.
struct Cell {
  std::int64_t index = 0;  ///< position among the experiment's cells, first factor slowest
  Json factors;       ///< name → value, those varied that mean something here; {} when nothing is varied
  Json spec;          ///< the workload's whole description
  std::string label;  ///< "batch 8, precision bf16"; "all" when nothing is varied
};

template <class Visit, Describes<Cell> Self>
void describe(Visit&& v, Self& s) {
  v("index", s.index, "position among the cells");
  v("factors", s.factors, "the varied values");
  v("spec", s.spec, "the workload's whole description");
  v("label", s.label, "the varied values in words");
}

/// One repetition of one cell, as the store keeps it.
struct Run {
  std::int64_t id = 0;
  std::int64_t experiment_id = 0;
  std::int64_t cell = 0;      ///< Cell::index
  std::int64_t repeat = 0;    ///< 0-based
  std::int64_t position = 0;  ///< place in the order in which the experiment ran
  RunStatus status = RunStatus::ok;
  std::string reason;                      ///< why it failed; empty when ok
  std::optional<std::int64_t> machine_id;  ///< Machine::id; empty: the run ended before it could tell
  std::string started;  ///< UTC, by the clock of whoever started it: one clock for all runs
  std::string ended;    ///< the same; empty: not known
  double wall_s = 0;
  /// Its host's CLOCK_MONOTONIC at second 0 of its times and at its end; empty: not told. They order what
  /// happened on one host between two starts of it, and nothing else: no two hosts share this clock.
  std::optional<double> host_begin_s, host_end_s;
  std::string repro;  ///< the one command that repeats it
  RunResult result;
};

template <class Visit, Describes<Run> Self>
void describe(Visit&& v, Self& s) {
  v("id", s.id, "number in the store");
  v("experiment_id", s.experiment_id, "the experiment it belongs to");
  v("cell", s.cell, "the cell it repeats");
  v("repeat", s.repeat, "which repetition, from 0");
  v("position", s.position, "place in the order of runs");
  v("status", s.status, "how it ended");
  v("reason", s.reason, "why it did not end well");
  v("machine_id", s.machine_id, "the machine that it ran on, by its number in the store");
  v("started", s.started, "UTC");
  v("ended", s.ended, "UTC");
  v("wall_s", s.wall_s, "from start to end of its process");
  v("host_begin_s", s.host_begin_s, "its host's monotonic clock at second 0 of the run");
  v("host_end_s", s.host_end_s, "its host's monotonic clock at the end of the run");
  v("repro", s.repro, "the one command that repeats it");
  v("result", s.result, "what it found out");
}

enum class Verdict { valid, doubtful, invalid };
constexpr auto enum_names(Verdict) {
  return std::array{Named{Verdict::valid, "valid"}, Named{Verdict::doubtful, "doubtful"},
                    Named{Verdict::invalid, "invalid"}};
}

/// What all repeats of a cell say together.
struct CellSummary {
  Cell cell;
  std::int64_t runs_ok = 0;
  std::int64_t runs_failed = 0;
  std::vector<std::string> failures;           ///< distinct reasons
  std::map<std::string, Estimate> figures;     ///< by name: images_per_s, engine_busy, ...
  std::map<std::string, Estimate> latency_ms;  ///< p50, p90, p95, p99, p999 over all samples of all repeats
  std::map<std::string, Estimate> phases_s;    ///< duration by phase
  std::map<std::string, Estimate> stages_ms;   ///< milliseconds per item by stage
  std::vector<SeriesSummary> telemetry;        ///< over the runs: mean of means, max of maxima, min of minima
  std::vector<Probe> probes;                   ///< of all runs, one after the other
  std::map<std::string, Estimate> costs;       ///< money by stage of the bill; empty: no price is known
  Facts facts;                                 ///< those on which all runs agree
  std::string outputs_checksum;                ///< "differs" when the repeats disagree
  Verdict verdict = Verdict::valid;
  std::vector<Warning> warnings;
  std::string repro;
};

template <class Visit, Describes<CellSummary> Self>
void describe(Visit&& v, Self& s) {
  v("cell", s.cell, "the combination of factor values");
  v("runs_ok", s.runs_ok, "runs that ended well");
  v("runs_failed", s.runs_failed, "runs that did not");
  v("failures", s.failures, "why, each reason once");
  v("figures", s.figures, "what was measured, over the repeats");
  v("latency_ms", s.latency_ms, "time per batch: quantiles over all samples");
  v("phases_s", s.phases_s, "duration of each phase");
  v("stages_ms", s.stages_ms, "milliseconds per item, by stage");
  v("telemetry", s.telemetry, "mean, maximum, minimum over the measurement phases");
  v("probes", s.probes, "rates that a search tried");
  v("costs", s.costs, "money, by stage of the bill");
  v("facts", s.facts, "what the engine really used");
  v("answers_checksum", s.outputs_checksum, "over the answers");
  v("verdict", s.verdict, "whether the numbers can be trusted");
  v("warnings", s.warnings, "reasons for doubt");
  v("repro", s.repro, "the command that repeats the cell");
}

}  // namespace neph
