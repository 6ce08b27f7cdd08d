// One reader for each kind of file; source.cpp says which is meant. Inside the module. `name` is what
// messages call the source. Errors: corrupt, unsupported.
#pragma once

#include <string>
#include <string_view>

#include "compare/source.hpp"
#include "record/warnings.hpp"

namespace neph::compare {

// What each is called, in Source::kind and in messages.
namespace kind {
inline constexpr std::string_view results = "neph";
inline constexpr std::string_view table = "neph table";
inline constexpr std::string_view perf_analyzer = "perf_analyzer";
inline constexpr std::string_view google_benchmark = "google-benchmark";
inline constexpr std::string_view hyperfine = "hyperfine";
}  // namespace kind

/// A warning of work that was not done. Where a rate was searched for, its SLO allows for some of that.
inline bool is_failure(std::string_view code, bool was_searched) {
  return code == enum_name(WarningCode::pictures_failed) ||
         code == enum_name(WarningCode::some_runs_failed) ||
         (code == enum_name(WarningCode::requests_failed) && !was_searched);
}

/// `neph export --format csv`: means, no runs.
Result<Source> source_of_table(std::string_view text, std::string name);
/// `perf_analyzer -f`: a row is a run; docs: Triton's perf_analyzer, "Visualizing Latency vs. Throughput".
Result<Source> source_of_perf_analyzer(std::string_view text, std::string name);
/// `--benchmark_out_format=json`, google-benchmark 1.5 and later: a repetition is a run.
Result<Source> source_of_google_benchmark(const Json& document, std::string name);
/// `hyperfine --export-json`: a timing is a run.
Result<Source> source_of_hyperfine(const Json& document, std::string name);

}  // namespace neph::compare
