#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/compare_source.hpp"
#include "cli/comparison_output.hpp"
#include "cli/interrupts.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "compare/compare.hpp"
#include "core/clock.hpp"
#include "core/lists.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "experiment/experiment.hpp"
#include "host/host.hpp"
#include "launch/launch.hpp"
#include "os/temporary_folder.hpp"
#include "report/report.hpp"

namespace neph::cli {
namespace {

constexpr std::array measuring_verbs{"infer", "load", "train", "run"};
constexpr double grace_s = 2;
constexpr std::size_t most_output = std::size_t{256} << 20;

using Words = std::vector<std::string_view>;

/// Without the empty ones between several blanks.
Words words_of(std::string_view line) {
  auto words = split_at(line, ' ');
  std::erase(words, std::string_view());
  return words;
}

/// The words before "--", behind which those of another program follow.
Words own_words(Words words) {
  words.erase(std::ranges::find(words, "--"), words.end());
  return words;
}

bool has(const Words& words, std::string_view option) {
  return std::ranges::any_of(words, [&](const auto word) {
    return word == option || (word.starts_with(option) && word.substr(option.size()).starts_with('='));
  });
}

/// The program's place among them: behind NAME=VALUE.
std::size_t program_of(const Words& words) {
  std::size_t place = 0;
  while (place < words.size() && words[place].find('=') != std::string_view::npos &&
         words[place].find('/') > words[place].find('='))
    ++place;
  return place;
}

/// One command of sh, and of neph, whose options may be added to.
bool is_measurement(const Words& words) {
  const auto program = program_of(words);
  constexpr std::string_view joints = "|;&<>#`$()\n";
  const bool is_one = std::ranges::none_of(
      words, [&](auto word) { return word.find_first_of(joints) != std::string_view::npos; });
  return is_one && words.size() > program + 1 && std::filesystem::path(words[program]).filename() == "neph" &&
         std::ranges::find(measuring_verbs, words[program + 1]) != measuring_verbs.end();
}

/// Whether it is what one of the tools writes that are known.
bool may_be_results(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// Of a process the kernel tells no less memory than this one had when it started it (execve(2) keeps the
/// mark).
std::int64_t least_memory_told() {
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  return std::int64_t{own.ru_maxrss} * 1024;
}

compare::Source of_command(const std::string& command, const Exit& exit, double time_s) {
  compare::Configuration all{.label = "all", .question = command};
  auto& run = all.runs.emplace_back();
  run.metrics = {{"time_s", time_s}, {"cpu_s", exit.cpu_s}};
  if (exit.peak_memory_bytes > least_memory_told())
    run.metrics["peak_memory_bytes"] = static_cast<double>(exit.peak_memory_bytes);
  return {.name = command, .kind = "command", .configurations = {std::move(all)}};
}

/// The command as it is run. A measurement of neph's (infer, load, train, run) prints what it measured as
/// JSON, one run of each configuration, and keeps it in `store`, where the command does not say otherwise.
std::string side_command(const std::string& line, const std::filesystem::path& store) {
  const auto words = own_words(words_of(line));
  if (!is_measurement(words)) return line;
  std::string more;
  if (!has(words, "--json")) more += " --json";
  const bool is_file = words[program_of(words) + 1] == "run";
  if (!has(words, "--repeat") && !is_file) more += " --repeat 1";  // a file says its own
  if (!has(words, "--fail-on")) more += " --fail-on nothing";      // a failed run is a result of its side
  if (!has(words, "--store")) more += " --store " + shell_quoted(store.string());
  const auto behind = line.find(" -- ");
  return behind == std::string::npos ? line + more : std::string(line).insert(behind, more);
}

/// A measurement takes the place of sh, so that the kernel ends it where this process is killed.
std::string with_exec(std::string command) {
  const auto words = words_of(command);
  if (!is_measurement(words)) return command;
  return command.insert(static_cast<std::size_t>(words[program_of(words)].data() - command.data()), "exec ");
}

/// Runs a line of sh once, its standard input empty. What it measured is what it writes to standard output,
/// where that is of a kind that compare::parse_source() knows; else time_s, cpu_s and peak_memory_bytes of
/// the command. Errors: unavailable (it ended badly: exit code and last words; interrupted), those of
/// parsing.
Result<compare::Source> run_side(const std::string& command, const Clock& clock,
                                 experiment::Interrupt& interrupt) {
  const auto shell = launch::here({"/bin/sh", "-c", "exec </dev/null; " + with_exec(command)});
  const auto begin = clock.now();
  NEPH_TRY(const auto child, shell->start({}));
  std::string output;
  child->on_line = [&](std::string_view line) {
    if (output.size() < most_output && (output.empty() || may_be_results(output)))
      output.append(line).append("\n");
  };
  while (!child->exit()) {
    launch::Child* const children[]{child.get()};
    launch::Child::wait(children, {}, interrupt.descriptor());
    interrupt.clear();
    if (interrupt.level() > 1) child->end(grace_s);
  }
  const double time_s = seconds(clock.now() - begin);
  if (interrupt.level() > 1) return fail(ErrorCode::unavailable, "stopped in the middle of a pair");
  const auto& exit = *child->exit();
  if (exit.code != 0 || exit.signal != 0)
    return fail(ErrorCode::unavailable, "{} {}{}{}", command, child->how_it_ended(),
                child->stderr_tail().empty() ? "" : ": ", child->stderr_tail());
  if (!may_be_results(output)) return of_command(command, exit, time_s);
  auto results = compare::parse_source(output, command);
  const bool is_its_own = !results && results.error().code == ErrorCode::unsupported;
  return is_its_own ? of_command(command, exit, time_s) : std::move(results);
}

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
  NEPH_TRY(const auto folder, TemporaryFolder::make());  // for the store of the runs
  const SteadyClock clock;
  experiment::Interrupt interrupt;
  const CatchInterrupts catching(interrupt);
  ProgressLine line;
  const auto measure = [&](compare::Side side) {
    const auto& command = side == compare::Side::baseline ? options.base : options.candidate;
    return run_side(side_command(command, folder.path() / "neph.db"), clock, interrupt);
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
