// The nouns of one run: what a worker reports, the store keeps and the report shows.
// Times inside a run (`_s`) count in seconds from the run's origin: the moment its process was started.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate.hpp"
#include "record/facts.hpp"
#include "record/probe.hpp"
#include "record/warnings.hpp"

namespace neph {

/// A named stretch of a run.
struct Phase {
  std::string name;
  double begin_s = 0;
  double end_s = 0;
};

template <class Visit, Describes<Phase> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name,
    "what happened: process_start, engine_load, model_load, model_compile, first_inference, warmup, ...");
  v("begin_s", s.begin_s, "from the start of the process");
  v("end_s", s.end_s, "from the start of the process");
}

/// One column of the raw samples (row i = sample i of the measurement): issued_s, done_s, items, and one
/// `<stage>_s` per stage; scheduled_s where samples have a schedule.
struct Column {
  std::string name;
  std::vector<double> values;
};

template <class Visit, Describes<Column> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "the column's name; times end in _s");
  v("values", s.values, "one value per sample");
}

/// One telemetry quantity over time. A quantity that cannot be read has no points and says why: it is never
/// 0.
struct Series {
  std::string target;  ///< machine, process, loader, engine, rest, container, gpu0, ...
  std::string name;    ///< cpu_user, memory_resident, ...
  std::string unit;    ///< cores, bytes, per_s, percent, watt, hertz, ...
  std::vector<double> at_s;
  std::vector<double> values;
  std::string unavailable;  ///< the reason; empty when it could be read
};

template <class Visit, Describes<Series> Self>
void describe(Visit&& v, Self& s) {
  v("target", s.target, "what was watched: machine, process, loader, engine, rest, container, gpu0");
  v("name", s.name, "the quantity");
  v("unit", s.unit, "its unit");
  v("at_s", s.at_s, "moments of the readings, from the start of the process");
  v("values", s.values, "the readings");
  v("unavailable", s.unavailable, "why it could not be read; empty if it could");
}

/// Mean, maximum and minimum of a series over the measurement phase.
struct SeriesSummary {
  std::string target;
  std::string name;
  std::string unit;
  std::optional<double> mean;
  std::optional<double> max;
  std::optional<double> min;
  std::string unavailable;
};

template <class Visit, Describes<SeriesSummary> Self>
void describe(Visit&& v, Self& s) {
  v("target", s.target, "what was watched");
  v("name", s.name, "the quantity");
  v("unit", s.unit, "its unit");
  v("mean", s.mean, "over the measurement phase; null: unavailable");
  v("max", s.max, "over the measurement phase; null: unavailable");
  v("min", s.min, "over the measurement phase; null: unavailable");
  v("unavailable", s.unavailable, "why it could not be read; empty if it could");
}

/// Where the time of the measurement went, by stage: elapsed seconds of threads, summed.
struct Stage {
  std::string name;        ///< read, decode, preprocess, infer, postprocess, write
  double busy_s = 0;       ///< summed over all threads that did it, measurement phase only; infer: not
                           ///< twice where inferences overlap
  std::int64_t items = 0;  ///< that went through it
};

template <class Visit, Describes<Stage> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name,
    "the stage: read, decode, preprocess, infer, postprocess, write; behind a server those of a request "
    "(send, network, server_queue, ..., unexplained, receive) instead of infer");
  v("busy_s", s.busy_s, "thread seconds spent in it during the measurement");
  v("items", s.items, "items that went through it during the measurement");
}

/// One figure of a run with its unit: images_per_s, engine_busy, ...
struct Figure {
  std::string name;
  std::string unit;
  Estimate estimate;
};

template <class Visit, Describes<Figure> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "what was measured; the unit is its ending");
  v("unit", s.unit, "the unit in words");
  v("estimate", s.estimate, "value, interval and number of samples");
}

/// Everything one run found out.
struct RunResult {
  std::vector<Phase> phases;
  std::vector<Figure> figures;
  std::vector<Stage> stages;
  std::vector<SeriesSummary> telemetry;
  std::vector<Warning> warnings;
  std::vector<Probe> probes;  ///< of a search for a rate, in the order tried
  /// What the engine really used: precision, threads, streams, device, ...
  Facts facts;
  /// What came of each item, to tell whether runs do the same: of infer its top-1 class (-1: it failed).
  std::vector<std::int32_t> outputs;
  std::string outputs_checksum;  ///< over these
  std::vector<Series> series;
  std::vector<Column> samples;
};

template <class Visit, Describes<RunResult> Self>
void describe(Visit&& v, Self& s) {
  v("phases", s.phases, "named stretches of the run");
  v("figures", s.figures, "what was measured");
  v("stages", s.stages, "where the time went");
  v("telemetry", s.telemetry, "mean, maximum and minimum over the measurement");
  v("warnings", s.warnings, "reasons for doubt");
  v("probes", s.probes, "rates that a search tried");
  v("facts", s.facts, "what the engine really used");
  v("answers_checksum", s.outputs_checksum, "over the answers");
  v("answers", s.outputs, "what came of each item: of infer its top-1 class");
  v("series", s.series, "telemetry over time");
  v("samples", s.samples, "raw samples, one column per quantity");
}

enum class RunStatus { ok, failed, interrupted };
constexpr auto enum_names(RunStatus) {
  return std::array{Named{RunStatus::ok, "ok"}, Named{RunStatus::failed, "failed"},
                    Named{RunStatus::interrupted, "interrupted"}};
}

}  // namespace neph
