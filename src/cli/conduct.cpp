#include "cli/conduct.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/estimate.hpp"
#include "cli/interrupts.hpp"
#include "cli/output_file.hpp"
#include "cli/places.hpp"
#include "cli/results.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "cli/watch.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "host/host.hpp"
#include "os/file.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

/// What a machine that is busy takes to start a worker, however short the runs are.
constexpr double least_preparation_s = 5;

/// Progress of what is done once before the runs.
class PrepareTalk final : public experiment::Observer {
 public:
  void progress(const Progress& progress) override {
    line_.show(fmt::format("{} {}/{}", progress.phase, progress.done, progress.total));
  }
  void phase_ended(const Phase& phase) override {
    line_.say(fmt::format("{} ({})", phase.name, format_seconds(phase.end_s - phase.begin_s)));
  }
  void note(const Note& note) override { line_.say(note.text); }
  void worker_said(std::string_view line) override { line_.say(printable(line)); }

 private:
  ProgressLine line_;
};

/// By a worker: a model that is opened may take its time, or its process along.
Result<workload::PreparedCells> prepare(const std::vector<Json>& specs,
                                        const std::function<Result<RunResult>(const Json& specs)>& ask,
                                        const experiment::Interrupt& interrupt) {
  if (specs.empty()) return workload::PreparedCells{};
  const auto result = ask(specs);
  if (interrupt.level() > 0) return fail(ErrorCode::unavailable, "stopped before the first run");
  if (result) return workload::prepared_cells(*result);
  if (specs.size() == 1) return workload::PreparedCells{fail_in("preparing the run", result.error())};
  workload::PreparedCells all;
  for (const auto& spec : specs) {  // which of them it was
    NEPH_TRY(auto one, prepare({spec}, ask, interrupt));
    all.push_back(std::move(one.front()));
  }
  return all;
}

/// Of each cell the files that its runs read, or why none of them can be made. Errors: it was stopped.
Result<workload::PreparedCells> prepare(const Plan& plan, const workload::Workload& workload,
                                        const Places& places, experiment::Interrupt& interrupt,
                                        const Clock& clock) {
  workload::PreparedCells all;
  std::vector<Json> specs;
  for (const auto& cell : plan.cells) {
    auto usable = places.check(cell);
    if (usable && workload.check_cores != nullptr && !places.is_container(cell))
      usable = workload.check_cores(cell.spec);
    all.push_back(usable.map([] { return launch::Files{}; }));
    if (usable) specs.push_back(cell.spec);
  }
  PrepareTalk talk;
  const auto timeout_s =
      plan.options.timeout_s > 0 ? std::max(plan.options.timeout_s, least_preparation_s) : 0;
  const auto ask = [&](const Json& some) {
    return experiment::query_worker(plan.experiment.workload, some, timeout_s, talk, interrupt, clock);
  };
  NEPH_TRY(auto read, prepare(specs, ask, interrupt));
  auto next = read.begin();
  for (auto& one : all)
    if (one) one = std::move(*next++);
  return all;
}

/// A line for each cell that cannot be measured. Errors: none can.
Status list_left_out(const Plan& plan, const workload::PreparedCells& prepared, std::FILE* to) {
  std::set<std::string> reasons;
  for (const auto& one : prepared) reasons.insert(one ? "" : one.error().text());
  if (reasons.size() == 1 && !prepared.front()) return tl::unexpected(prepared.front().error());  // said once
  for (const auto& cell : plan.cells)
    if (const auto& one = prepared[static_cast<std::size_t>(cell.index)]; !one)
      fmt::print(to, "{}\n", printable(fmt::format("{}: left out: {}", cell.label, one.error().text())));
  if (reasons.contains("")) return {};
  return fail(ErrorCode::unavailable, "none of the {} configurations can run here", prepared.size());
}

/// As a command says where it runs; nothing where that is here.
std::string place(const std::string& on) { return on == PlanOptions{}.on ? "" : " --on " + shell_quoted(on); }

/// The stored experiment to go on with, or a new one.
Result<Experiment> enter_into_store(Plan& plan, store::Store& store, bool resume) {
  if (resume) {
    NEPH_TRY(auto found, experiment::find_resumable(store, plan.experiment));
    if (plan.options.seed != 0 && found && found->seed != plan.experiment.seed) {
      NEPH_TRY(auto same, experiment::find_resumable(store, plan.experiment, plan.experiment.seed));
      if (!same)
        return fail(ErrorCode::invalid_argument,
                    "--seed {}: experiment {} of {} measures the same in the order of seed {}; give that, or "
                    "none, to go on with it",
                    plan.experiment.seed, found->id, plan.options.store, found->seed);
      found = std::move(same);
    }
    if (found) {
      found->latency_limit_s = plan.experiment.latency_limit_s;
      NEPH_CHECK(store.set_latency_limit(found->id, found->latency_limit_s));
      if (!plan.experiment.price.empty()) {
        found->price = plan.experiment.price;
        found->price_rule = plan.experiment.price_rule;
        NEPH_CHECK(store.set_price(found->id, found->price, found->price_rule));
      }
      talk("going on with experiment {} of {}\n", found->id, plan.options.store);
      if (!plan.is_repeat_asked) {
        NEPH_TRY(const auto stored, store.experiment(found->id));
        found->repeat = stored.repeat;
      }
      return *found;
    }
    talk("nothing to resume in {}: this is a new experiment\n", plan.options.store);
  }
  return experiment::begin(plan.experiment, store);
}

void announce(const Experiment& experiment, std::int64_t cells) {
  const auto runs = cells * experiment.repeat;
  talk("{} x {} = {}{}\n", counted(cells, "configuration"), counted(experiment.repeat, "repeat"),
       counted(runs, "run"), runs > 1 ? fmt::format(", order from seed {}", experiment.seed) : "");
}

/// What is in the store already, of which the table has everything.
Status announce_stored(const Experiment& experiment, std::int64_t cells,
                       const workload::PreparedCells& prepared, const store::Store& store) {
  NEPH_TRY(const auto ended, store.finished(experiment.id));
  if (ended.empty()) return {};
  const auto is_wanted = [&](const auto& run) { return run.second < experiment.repeat; };
  const auto left = cells * experiment.repeat - std::ranges::count_if(ended, [&](const auto& run) {
                      return is_wanted(run) && prepared[static_cast<std::size_t>(run.first)];
                    });
  const bool has_more = !std::ranges::all_of(ended, is_wanted);
  talk("{} {} stored already, {} left to run{}\n", counted(std::ssize(ended), "run"),
       ended.size() == 1 ? "is" : "are",
       left == 0   ? "none is"
       : left == 1 ? "1 is"
                   : fmt::format("{} are", left),
       has_more ? "; more are stored than --repeat asks for, and the results below use all" : "");
  return {};
}

/// The machine's telemetry of all runs, also of those that were stored before.
Status write_telemetry(const report::Document& document, const std::string& path) {
  const auto recordings = host::recordings_of(document.machines, document.runs, document.experiment.command);
  if (recordings.empty()) talk("--dstat {}: no run has telemetry of its machine\n", path);
  return write_file(path, host::write_dstat(recordings));
}

/// What the experiment came to, in its own words, after the table; and the exit code.
Result<int> say_outcome(const experiment::Outcome& outcome, const report::Document& document,
                        std::int64_t left_out, const std::string& store_path, const ConductOptions& options) {
  const auto id = document.experiment.id;
  const auto store = store_path == PlanOptions{}.store ? "" : " --store " + shell_quoted(store_path);
  talk("experiment {} in {}; as a page: neph report {}{}\n", id, store_path, id, store);
  const auto ended = outcome.ok + outcome.failed + outcome.skipped;
  if (!outcome.complete())
    return fail(ErrorCode::unavailable,
                "stopped: {} of {} runs are stored; the same command with --resume goes on", ended,
                ended + outcome.interrupted + outcome.left);
  if (outcome.ok > 0 && outcome.failed > 0)
    talk("{} of {} runs failed; the reasons: neph show {}{}\n", outcome.failed, outcome.ok + outcome.failed,
         id, store);
  const auto fail_on = options.fail_on;
  const bool have_all_failed = outcome.ok == 0 && outcome.skipped == 0 && outcome.failed > 0;
  const bool is_asked = options.is_fail_on_asked && options.is_fail_on_asked() && fail_on != FailOn::nothing;
  if (have_all_failed && !is_asked)
    return fail(ErrorCode::unavailable, "{}; the reason: neph show {}{}",
                outcome.failed == 1 ? "the run failed" : fmt::format("all {} runs failed", outcome.failed),
                id, store);
  auto cells = document.cells;
  std::erase_if(cells, [](const auto& cell) { return cell.runs_ok + cell.runs_failed == 0; });
  const auto why = failure_of(cells, fail_on);
  if (!why.empty()) talk("neph: --fail-on {}: {}\n", enum_name(fail_on), why);
  if (left_out > 0) talk("neph: {} left out\n", counted(left_out, "configuration"));
  return !why.empty() || (left_out > 0 && fail_on != FailOn::nothing) ? failed_as_asked : 0;
}

FailOn gravest_of(const CellSummary& cell) {
  if (cell.runs_failed > 0 || cell.runs_ok == 0) return FailOn::failed;
  if (cell.verdict == Verdict::invalid) return FailOn::invalid;
  return cell.verdict == Verdict::doubtful ? FailOn::warning : FailOn::nothing;
}

}  // namespace

void declare_flags(Command& command, ConductOptions& options) {
  command.flag("resume", options.resume,
               "go on with the same experiment where it stopped, up to the repeats that are asked for; where "
               "none are, up to as many as last");
  command.flag("dry-run", options.dry_run,
               "only say what would run and for how long; up to 8 configurations are tried for it, of load "
               "none");
  command.flag("json", options.json, "results as JSON on stdout");
  command.option(
      "dstat", options.dstat,
      "also write what the machine did in all runs, as CSV of dstat -tcmdrn 0.8.0: a row a second, UTC, "
      "runs one after the other");
  command.fields(options);
  options.is_fail_on_asked = command.asked("fail_on");
  command.footer(
      "Ctrl-C or SIGTERM: once, the run in progress is the last, and a search ends at once with what it has; "
      "twice, or SIGHUP or SIGQUIT once, stop now.");
}

Result<int> conduct_plan(Plan plan, const ConductOptions& options) {
  NEPH_TRY(const auto* workload, workload::find_workload(plan.experiment.workload));
  plan.experiment.version = version;
  if (!options.dstat.empty()) NEPH_CHECK(check_output_file("--dstat", options.dstat, {plan.options.store}));
  const SteadyClock clock;
  // Before signals are caught: a pull may last, and Ctrl-C ends it.
  NEPH_TRY(const auto places, Places::of(plan, *workload));
  experiment::Interrupt interrupt;
  const CatchInterrupts catching(interrupt);
  NEPH_TRY(const auto prepared, prepare(plan, *workload, places, interrupt, clock));
  NEPH_CHECK(list_left_out(plan, prepared, options.dry_run ? stdout : stderr));
  const auto of = [&](const Cell& cell) -> const auto& {
    return prepared[static_cast<std::size_t>(cell.index)];
  };
  const experiment::Launch launch{
      .launcher = [&](const Cell& cell) -> launch::Launcher& { return places.of(cell); },
      .files = [&](const Cell& cell) { return *of(cell); },
      .is_left_out = [&](const Cell& cell) { return !of(cell); },
      .timeout_s = plan.options.timeout_s,
      .repro = [&](const Cell& cell) { return workload->command(cell.spec) + place(plan.options.on); },
      .onlooker =
          [&](const Cell& cell, const launch::Child& child, Moment origin) {
            return places.is_container(cell) ? view_from_host(child, clock, origin) : nullptr;
          }};
  const auto cells =
      std::ranges::count_if(plan.cells, [&](const Cell& cell) { return of(cell).has_value(); });
  if (options.dry_run) {
    announce(plan.experiment, cells);
    NEPH_CHECK(print_estimate(plan, launch, interrupt, clock));
    return 0;
  }
  NEPH_TRY(auto store, store::Store::open(plan.options.store, store::Access::write));
  const auto taken = store.take_in();
  if (!taken) talk("neph: {}\n", printable(taken.error().text()));
  if (taken && *taken > 0)
    talk("stored {} kept beside {} until it could be written\n", counted(*taken, "run"), plan.options.store);
  NEPH_TRY(const auto experiment, enter_into_store(plan, store, options.resume));
  announce(experiment, cells);
  NEPH_CHECK(announce_stored(experiment, cells, prepared, store));
  Watch watch(cells * experiment.repeat);
  NEPH_TRY(auto machines, store.machines(experiment.id));
  watch.knows(std::move(machines));
  NEPH_TRY(const auto outcome, experiment::conduct(experiment, store, launch, watch, interrupt, clock));
  NEPH_TRY(auto document, load_document(store, experiment.id, store::Detail::full));
  for (auto& cell : document.cells)
    if (const auto& one = of(cell.cell); !one && cell.runs_ok == 0) cell.failures = {one.error().text()};
  if (options.json)
    fmt::print("{}\n", dump_json(report::json(document), true));
  else
    print_summary(document);
  if (!options.dstat.empty()) NEPH_CHECK(write_telemetry(document, options.dstat));
  if (options.also) NEPH_CHECK(options.also(document));
  return say_outcome(outcome, document, std::ssize(plan.cells) - cells, plan.options.store, options);
}

std::string failure_of(const std::vector<CellSummary>& cells, FailOn level) {
  std::string counts;
  for (const auto& [kind, words] : {std::pair(FailOn::failed, "with failed runs"),
                                    {FailOn::invalid, "invalid"},
                                    {FailOn::warning, "with warnings"}}) {
    const auto so_bad = std::count_if(cells.begin(), cells.end(),
                                      [kind = kind](const auto& cell) { return gravest_of(cell) == kind; });
    if (kind >= level && so_bad > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", so_bad, words);
  }
  if (counts.empty()) return {};
  return fmt::format("of {}: {}", counted(std::ssize(cells), "configuration"), counts);
}

}  // namespace neph::cli
