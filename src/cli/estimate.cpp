#include "cli/estimate.hpp"

#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal.hpp"
#include "cli/watch.hpp"
#include "core/units.hpp"
#include "store/store.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

using workload::RuntimeEstimate;

constexpr std::size_t most_trials = 8;

/// A store that is gone when the trial is done.
class ScratchStore {
 public:
  ScratchStore() : path_(temporary_folder() / fmt::format("neph-trial-{}.db", ::getpid())) {}
  ~ScratchStore() { std::filesystem::remove(path_, ignored_); }
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;
  Result<store::Store> open() const { return store::Store::open(path_, store::Access::write); }

 private:
  /// $TMPDIR where there is such a folder.
  std::filesystem::path temporary_folder() {
    const auto folder = std::filesystem::temp_directory_path(ignored_);
    return ignored_ ? "/tmp" : folder;
  }

  std::error_code ignored_;
  std::filesystem::path path_;
};

/// Cells spread evenly over the whole plan.
std::vector<Cell> cells_to_try(const std::vector<Cell>& cells) {
  if (cells.size() <= most_trials) return cells;
  std::vector<Cell> chosen;
  for (std::size_t i = 0; i < most_trials; ++i) chosen.push_back(cells[i * cells.size() / most_trials]);
  return chosen;
}

/// Learns by small runs how long whole ones take.
class Trials {
 public:
  Trials(const workload::Workload& workload, const experiment::Launch& launch,
         experiment::Interrupt& interrupt, const Clock& clock)
      : workload_(workload), launch_(launch), interrupt_(interrupt), clock_(clock) {}

  Result<RuntimeEstimate> of(const Cell& cell) {
    const ScratchStore scratch;
    NEPH_TRY(auto store, scratch.open());
    Experiment small{.workload = std::string(workload_.name), .spec = workload_.trial(cell.spec), .seed = 1};
    NEPH_TRY(small, experiment::begin(small, store));
    Watch watch(1, fmt::format("a trial of {}", cell.label));
    auto launch = launch_;
    launch.launcher = [&](const Cell&) -> launch::Launcher& { return launch_.launcher(cell); };
    launch.files = [&](const Cell&) { return launch_.files(cell); };
    launch.is_left_out = nullptr;
    launch.onlooker = nullptr;
    NEPH_TRY(const auto outcome, experiment::conduct(small, store, launch, watch, interrupt_, clock_));
    NEPH_TRY(const auto runs, store.runs(small.id, store::Detail::summary));
    if (outcome.ok == 0 || runs.empty())
      return fail(ErrorCode::unavailable, "the trial of {} failed: {}", cell.label,
                  runs.empty() ? "stopped" : runs.front().reason);
    return RuntimeEstimate{workload_.whole_run_s(cell.spec, runs.front())};
  }

 private:
  const workload::Workload& workload_;
  const experiment::Launch& launch_;
  experiment::Interrupt& interrupt_;
  const Clock& clock_;
};

std::string in_words(const RuntimeEstimate& seen) {
  constexpr std::array bounds{"about", "at least", "at most"};
  return fmt::format("{} {}", bounds[static_cast<std::size_t>(seen.bound)], format_seconds(seen.run_s));
}

}  // namespace

Status print_estimate(const Plan& plan, const experiment::Launch& launch, experiment::Interrupt& interrupt,
                      const Clock& clock) {
  NEPH_TRY(const auto* workload, workload::find_workload(plan.experiment.workload));
  auto startable = plan.cells;
  std::erase_if(startable, launch.is_left_out);
  const auto chosen = workload->estimate_runtime ? startable : cells_to_try(startable);
  Trials trials(*workload, launch, interrupt, clock);
  std::vector<RuntimeEstimate> seen;
  for (const auto& cell : chosen) {
    NEPH_TRY(const auto one, workload->estimate_runtime
                                 ? Result<RuntimeEstimate>(workload->estimate_runtime(cell.spec))
                                 : trials.of(cell));
    seen.push_back(one);
    print_lines("{}: {} a run\n", cell.label, in_words(one));
  }
  const auto runs = std::ssize(startable) * plan.experiment.repeat;
  fmt::print("{}, {} in all{}\n", counted(runs, "run"), in_words(workload::all_runs(seen, runs)),
             chosen.size() < startable.size()
                 ? fmt::format(" ({} of {} configurations tried)", chosen.size(), startable.size())
                 : "");
  return {};
}

}  // namespace neph::cli
