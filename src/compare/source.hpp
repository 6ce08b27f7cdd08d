// Results as others wrote them down, all in one shape: what is compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/estimate.hpp"
#include "core/json.hpp"
#include "core/result.hpp"

namespace neph::compare {

/// One run, or one repetition of what others measure.
struct MeasuredRun {
  std::int64_t block = 0;                 ///< runs of one block were measured side by side
  std::map<std::string, double> metrics;  ///< by name, whose ending is its unit: _s, _ms, _per_s, _bytes
};

struct Configuration {
  std::string label;     ///< "batch 8, precision bf16"; tells it from the others of its source
  std::string question;  ///< the command that asks it again, defaults left out; empty: nobody says
  Json factors = Json::object();
  std::vector<MeasuredRun> runs;
  /// Of metrics of which the source keeps no runs: means over them with 95 % intervals (n: how many runs; 0:
  /// nobody says).
  std::map<std::string, Estimate> means;
  /// What it was measured with. Two sides that differ here are told (compare/confounds.cpp): machine,
  /// workload, engine, device, model (hash of its files), network (its name), question, answers, outputs,
  /// precision, threads, build.
  std::map<std::string, std::string> facts;
  std::vector<std::string> doubts;  ///< reasons not to trust its numbers
  /// Work that was not done, each cause once: "2 of 5 runs failed (exit code 1)". To fail fast is not good:
  /// such numbers are not compared unless that is meant.
  std::vector<std::string> failures;
  /// As the source sums its runs up: what its own tables show of this configuration.
  std::map<std::string, Estimate> figures;
};

struct Source {
  std::string name;  ///< what messages call it: the file, or "experiment 3 of neph.db"
  std::string kind;  ///< "neph", "neph table", "perf_analyzer", "google-benchmark", "hyperfine"
  /// Of the experiment in its store; equal: runs are of the same blocks. Empty: not known.
  std::string identity;
  std::vector<Configuration> configurations;
};

/// Of any kind that is known, by what it contains. Errors: not_found, unavailable, io; corrupt (line or key
/// of the fault), unsupported (none of these kinds; names them).
Result<Source> read_source(const std::filesystem::path& file);
/// The same from memory; `name` is what messages call it.
Result<Source> parse_source(std::string_view text, std::string name);
/// Of neph's own JSON (docs/RESULTS.md). Errors: corrupt, unsupported.
Result<Source> source_of_results(const Json& results, std::string name);

/// A machine as facts call it, from its fingerprint.
std::string machine_name(Json fingerprint);

/// Only the configurations with these factors' values, "engine=openvino,batch=8", which then tell them apart
/// no more. Errors: invalid_argument (no such factor, or no configuration has the value: names those that
/// there are).
Result<Source> only(Source source, std::string_view conditions);

/// What `from` has seen that `to` has not: doubts and failures.
void add_remarks(const Configuration& from, Configuration& to);

/// Files of a tool that does not repeat itself, as perf_analyzer: each has a run or more of the same
/// configurations, matched by label, and its blocks come behind those of the files before it. A file's mean
/// counts as a run. Facts that contradict each other stand side by side. Errors: invalid_argument (none,
/// different kinds, the same experiment twice).
Result<Source> joined(std::vector<Source> sources);

}  // namespace neph::compare
