#include "compare/compare.hpp"

#include <memory>

#include "cli/command.hpp"
#include "cli/compare_source.hpp"
#include "cli/comparison_output.hpp"
#include "cli/store_option.hpp"
#include "cli/verbs.hpp"

namespace neph::cli {
namespace {

struct CompareCommand {
  std::string baseline, candidate;
  std::string threshold = "3%";
  std::string metric = "speed";
  std::string accept;
  std::string baseline_where, candidate_where;
  std::string store{default_store};
  ComparisonOutput output;
  bool is_same = false;
};
template <class Visit, Describes<CompareCommand> Self>
void describe(Visit&& v, Self& s) {
  v("threshold", s.threshold, "largest difference that does not matter");
  v("metric", s.metric,
    "metrics to compare, with commas between: speed, p50, p95, p99, memory, cpu, cost, or a metric's name");
  v("accept", s.accept,
    "intended differences between the sides, as machine,precision,failures; others refuse the comparison");
  v("baseline_where", s.baseline_where,
    "factors of the baseline's configurations to compare: engine=openvino");
  v("candidate_where", s.candidate_where,
    "the same of the candidate; runs of one experiment are then paired");
  v("store", s.store, "store that experiments' numbers refer to");
  describe(v, s.output);
}

bool have_same_runs(const compare::Source& one, const compare::Source& other) {
  return !one.identity.empty() && one.identity == other.identity;
}

Result<int> compare_sides(const CompareCommand& options) {
  NEPH_CHECK(check(options.output));
  compare::CompareOptions how{.metrics = listed(options.metric), .accepted = listed(options.accept)};
  NEPH_TRY(how.threshold, parse_threshold("--threshold", options.threshold));
  how.noise = options.is_same ? std::filesystem::path() : compare::noise_file();
  NEPH_TRY(auto baseline, source_at(options.baseline, options.store));
  NEPH_TRY(auto candidate, source_at(options.candidate, options.store));
  NEPH_TRY(baseline, compare::only(std::move(baseline), options.baseline_where));
  NEPH_TRY(candidate, compare::only(std::move(candidate), options.candidate_where));
  if (options.is_same && (options.baseline == options.candidate || have_same_runs(baseline, candidate)))
    return fail(ErrorCode::invalid_argument,
                "--same: both sides are the same runs, which differ in nothing; measure "
                "the thing twice");
  NEPH_TRY(auto comparison, compare::compare(baseline, candidate, how));
  if (have_same_runs(baseline, candidate) && options.baseline_where == options.candidate_where)
    comparison.notes.emplace_back("both sides are the same runs");
  NEPH_TRY(const int code, write(comparison, options.output));
  if (options.is_same) keep_noise_of(comparison);
  return code;
}

}  // namespace

void declare_compare(Command& command) {
  auto options = std::make_shared<CompareCommand>();
  command.positional(
      "baseline", options->baseline,
      "results: JSON or CSV of neph, an experiment's number, STORE.db or STORE.db:NUMBER, CSV of "
      "perf_analyzer, JSON of google-benchmark or hyperfine; files of one kind with commas between "
      "are runs of one thing",
      true);
  command.positional("candidate", options->candidate, "what is compared with it, of the same kinds", true);
  command.fields(*options);
  command.flag(
      "same", options->is_same,
      "both sides are the same thing (A/A): keep how far apart they are as this machine's noise, which "
      "later comparisons heed");
  command.footer(
      "Examples:\n"
      "  neph compare yesterday.json today.json --threshold 3%\n"
      "  neph compare 12 14                                # experiments of neph.db\n"
      "  neph compare main.json branch.json --metric speed,p99 --format markdown > comment.md\n"
      "  neph compare 7 7 --baseline-where engine=openvino --candidate-where engine=onnxruntime\n"
      "better, worse: a difference is shown (5 %, of all rows together). equivalent: it is shown to be\n"
      "within the threshold. undecided: neither; it says what would have been seen, and how many more\n"
      "runs would decide.");
  command.footer(comparison_codes);
  command.action(Command::Action([options] { return compare_sides(*options); }));
}

}  // namespace neph::cli
