#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/compare_source.hpp"
#include "cli/comparison_output.hpp"
#include "cli/interrupts.hpp"
#include "cli/side_command.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "compare/compare.hpp"
#include "core/units.hpp"
#include "host/host.hpp"
#include "report/report.hpp"

namespace neph::cli {
namespace {

struct AbCommand {
  std::string base, candidate;
  std::string threshold = "3%";
  std::string metric = "speed";
  std::string accept;
  Seconds budget{600};
  std::int64_t pairs = 100;
  std::int64_t warmup = 1;
  std::int64_t seed = 1;
  ComparisonOutput output;
};
template <class Visit, Describes<AbCommand> Self>
void describe(Visit&& v, Self& s) {
  v("base", s.base, "command of the baseline, a line of sh");
  v("new", s.candidate, "command of the candidate");
  v("threshold", s.threshold, "largest difference that does not matter");
  v("metric", s.metric,
    "metrics to compare, with commas between: speed, p50, p95, p99, memory, cpu, cost, or a metric's name");
  v("accept", s.accept, "intended differences between the sides, as precision; others refuse the comparison");
  v("budget", s.budget, "time limit; no pair begins that would end after it", between(0, 1e6));
  v("pairs", s.pairs, "most pairs", between(2, 10'000));
  v("warmup", s.warmup, "warm-up pairs, which do not count", between(0, 1000));
  v("seed", s.seed, "seed of the order within pairs", at_least(0));
  describe(v, s.output);
}

/// A folder for the store of the runs, which is gone with it.
class Scratch {
 public:
  static Result<Scratch> make() {
    auto name = (std::filesystem::temp_directory_path() / "neph-ab-XXXXXX").string();
    if (!::mkdtemp(name.data())) return tl::unexpected(system_error("cannot make " + name, errno));
    return Scratch(std::move(name));
  }
  Scratch(Scratch&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    if (folder_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path store() const { return folder_ / "neph.db"; }

 private:
  explicit Scratch(std::string folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

std::string this_machine() {
  return compare::machine_name(to_json(host::take_fingerprint({.nvml_library = ""})));
}

/// "pair 7 of about 12: -2.9 % (-4.1 to -1.6 %), 1.3 min of 10 min"
std::string progress_text(const compare::PairsSoFar& so_far, double budget_s) {
  const auto& comparison = so_far.comparison;
  if (comparison.pairs == 0) return fmt::format("warm-up · {}", format_seconds(so_far.elapsed_s));
  const auto planned =
      comparison.planned > comparison.pairs ? fmt::format(" of about {}", comparison.planned) : std::string();
  return fmt::format("pair {}{} · {} · {} of {}", comparison.pairs, planned, report::headline(comparison),
                     format_seconds(so_far.elapsed_s), format_seconds(budget_s));
}

Result<int> compare_commands(const AbCommand& options) {
  NEPH_CHECK(check(options.output));
  if (options.base.empty() || options.candidate.empty())
    return fail(ErrorCode::invalid_argument, "say both commands: --base '…' --new '…'");
  compare::PairsOptions pairs{.compare = {.metrics = listed(options.metric),
                                          .accepted = listed(options.accept),
                                          .noise = compare::noise_file()},
                              .budget_s = options.budget.value,
                              .most_pairs = options.pairs,
                              .warmup = options.warmup,
                              .seed = static_cast<std::uint64_t>(options.seed)};
  NEPH_TRY(pairs.compare.threshold, parse_threshold("--threshold", options.threshold));
  NEPH_TRY(const auto scratch, Scratch::make());
  const SteadyClock clock;
  experiment::Interrupt interrupt;
  const CatchInterrupts catching(interrupt);
  ProgressLine line;
  const auto measure = [&](compare::Side side) {
    const auto& command = side == compare::Side::baseline ? options.base : options.candidate;
    return run_side(side_command(command, scratch.store()), clock, interrupt);
  };
  const auto on_pair = [&](const compare::PairsSoFar& so_far) {
    line.show(progress_text(so_far, options.budget.value));
    return interrupt.level() == 0;
  };
  if (options.warmup > 0) line.show(fmt::format("{} of warm-up", counted(options.warmup, "pair")));
  NEPH_TRY(auto comparison, compare::compare_in_pairs(pairs, measure, on_pair, clock));
  line.clear();
  comparison.baseline = options.base;
  comparison.candidate = options.candidate;
  if (comparison.machine.empty()) comparison.machine = this_machine();
  NEPH_TRY(const int code, write(comparison, options.output));
  if (options.base == options.candidate) keep_noise_of(comparison);
  return code;
}

}  // namespace

void declare_ab(Command& command) {
  auto options = std::make_shared<AbCommand>();
  command.fields(*options);
  command.footer(
      "Examples:\n"
      "  neph ab --base './old/neph infer resnet50 --images photos' --new './new/neph infer resnet50 "
      "--images photos'\n"
      "  neph ab --base 'neph infer m.onnx --images photos --engine openvino' \\\n"
      "          --new  'neph infer m.onnx --images photos --engine onnxruntime' --metric speed,memory\n"
      "  neph ab --base './sort-old data' --new './sort-new data' --threshold 1%\n"
      "Each pair runs both commands once, in a random order, so that what moves both cancels. It looks "
      "after\n"
      "each pair, by limits that keep false alarms at 5 % however often it looks, and ends when all is "
      "decided.\n"
      "Of neph's own measurements, and of what writes JSON of google-benchmark or hyperfine to stdout, "
      "their\n"
      "metrics are compared; of other commands time_s, cpu_s and peak_memory_bytes. The same command on "
      "both\n"
      "sides (A/A) measures this machine's noise, which later comparisons show. Ctrl-C ends with this pair.");
  command.footer(comparison_codes);
  command.action(Command::Action([options] { return compare_commands(*options); }));
}

}  // namespace neph::cli
