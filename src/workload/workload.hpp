// Workloads: what ONE run does. A workload gets its description as JSON, does the work, says what happens as
// events, and returns what it found out.
//
// What it does not do: decide order or repeats, store, print. Threads: run() blocks the thread it is called
// on and owns every thread it starts. A new workload is one file here and one line in the list of
// workload.cpp.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "launch/launch.hpp"
#include "record/event.hpp"
#include "record/experiment.hpp"
#include "record/order.hpp"
#include "workload/command/spec.hpp"
#include "workload/infer/spec.hpp"
#include "workload/load/spec.hpp"
#include "workload/train/spec.hpp"

namespace neph::workload {

struct Context {
  const Clock& clock;
  Moment origin;  ///< when the process was started: second 0 of the run
  EventSink& events;
  std::stop_token stop;    ///< end early with ErrorCode::unavailable
  std::stop_token finish;  ///< begin no further part of the work: a search ends after its probe
};

/// Of each configuration the files that a run reads, or why none of its runs can be made.
using PreparedCells = std::vector<Result<launch::Files>>;

/// As the result of a worker, and back.
RunResult as_result(const PreparedCells& prepared);
Result<PreparedCells> prepared_cells(const RunResult& result);

/// How long a run will take.
struct RuntimeEstimate {
  enum class Bound { about, at_least, at_most };
  double run_s = 0;
  Bound bound = Bound::about;
};

/// How long so many runs will take, spread evenly over cells of which each has an estimate; there is one at
/// least. Where one has no upper bound all together have none; other bounds that differ make it a guess.
RuntimeEstimate all_runs(std::span<const RuntimeEstimate> cells, std::int64_t runs);

struct Workload {
  std::string_view name;
  std::string_view summary;
  std::string_view positional;  ///< the field that the verb takes without an option's name
  /// Its verb, where several workloads share one; empty: its name. The positional then stands last, behind
  /// "--".
  std::string_view shared_verb{};
  double timeout_s = 3600;  ///< after which a run has failed, where nothing is said; 0: never
  /// Names of the description's fields, in its order.
  std::vector<std::string> (*fields)();
  /// Fields as given, with choices by their own names: two words for one are not two cells.
  Json (*own_names)(Json fields);
  /// What means nothing where, so that combinations that are the same are measured once.
  std::vector<Idle> (*idle)();
  /// Whether the description makes sense, as far as that can be said without running it.
  Status (*check)(const Json& spec);
  /// What is done once before all runs of all cells and not measured: models and pictures that runs will find
  /// ready. What every run of a cell would stumble over (no model there, unknown engine, no picture) is
  /// refused here, once and before any of them.
  PreparedCells (*prepare)(std::span<const Json> specs, EventSink& events);
  /// Whether a run that is made in no container has the cores that it needs; null: it needs none of its own.
  Status (*check_cores)(const Json& spec) = nullptr;
  /// The container that the runs of each cell are made in; nullopt: none. Null: never one. Errors: what keeps
  /// the cell's runs from starting; invalid_argument: what nobody can mean.
  std::vector<Result<std::optional<launch::Container>>> (*containers)(std::span<const Json> specs);
  Result<RunResult> (*run)(const Json& spec, const Context& context);
  /// The `neph` command line for one run of it, with only what differs from the defaults.
  std::string (*command)(const Json& spec);
  /// Fields that may change the answers: cells that differ only in others must agree.
  std::vector<std::string> (*answer_fields)();
  /// How long a run will take, as far as its description tells; null: only a trial tells.
  RuntimeEstimate (*estimate_runtime)(const Json& spec);
  /// A small version of the run, to learn how long the whole one will take; null: estimate_runtime() tells.
  Json (*trial)(const Json& spec);
  /// Seconds that the whole run of `spec` will take, given how its small version went; null like trial.
  double (*whole_run_s)(const Json& spec, const Run& trial);
};

std::span<const Workload> workloads();
/// Errors: not_found, with the nearest known name.
Result<const Workload*> find_workload(std::string_view name);

/// The script of a framework that one configuration of `train` runs; without data it reads data.npz. Errors:
/// those of its check and its preparation; invalid_argument (several values, no framework).
Result<std::string> training_script(Json fields);

/// Cells of the workload "load" as the formats of other tools want them; they point into `cells`.
std::vector<load::Tested> tested_cells(const std::vector<CellSummary>& cells);

}  // namespace neph::workload
