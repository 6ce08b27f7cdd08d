#include "cli/estimate.hpp"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/watch.hpp"
#include "core/units.hpp"
#include "store/store.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

constexpr std::size_t most_probes = 8;

/// A store that is gone when the probes are done.
class ScratchStore {
 public:
  ScratchStore() : path_(temporary_folder() / fmt::format("neph-probe-{}.db", ::getpid())) {}
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
std::vector<Cell> cells_to_probe(const std::vector<Cell>& cells) {
  if (cells.size() <= most_probes) return cells;
  std::vector<Cell> chosen;
  for (std::size_t i = 0; i < most_probes; ++i) chosen.push_back(cells[i * cells.size() / most_probes]);
  return chosen;
}

/// Seconds that a whole run of the cell takes, measured by a small one.
Result<double> probe(const Cell& cell, const workload::Workload& workload, const experiment::Launch& launch,
                     experiment::Interrupt& interrupt, const Clock& clock) {
  const ScratchStore scratch;
  NEPH_TRY(auto store, scratch.open());
  Experiment small{.workload = std::string(workload.name), .spec = workload.probe(cell.spec), .seed = 1};
  NEPH_TRY(small, experiment::begin(small, store));
  Watch watch(1);
  NEPH_TRY(const auto outcome, experiment::conduct(small, store, launch, watch, interrupt, clock));
  NEPH_TRY(const auto runs, store.runs(small.id, store::Detail::summary));
  if (outcome.ok == 0 || runs.empty())
    return fail(ErrorCode::unavailable, "the probe of {} failed: {}", cell.label,
                runs.empty() ? "stopped" : runs.front().reason);
  return workload.whole_run_s(cell.spec, runs.front());
}

}  // namespace

Status print_estimate(const Plan& plan, const experiment::Launch& launch, experiment::Interrupt& interrupt,
                      const Clock& clock) {
  NEPH_TRY(const auto* workload, workload::find_workload(plan.experiment.workload));
  const auto chosen = cells_to_probe(plan.cells);
  double sum_s = 0;
  for (const auto& cell : chosen) {
    NEPH_TRY(const double run_s, probe(cell, *workload, launch, interrupt, clock));
    fmt::print("{}: about {} a run\n", cell.label, format_seconds(run_s));
    sum_s += run_s;
  }
  const auto runs = static_cast<double>(plan.cells.size()) * static_cast<double>(plan.experiment.repeat);
  fmt::print("{} runs, about {} in all{}\n", runs,
             format_seconds(sum_s / static_cast<double>(chosen.size()) * runs),
             chosen.size() < plan.cells.size()
                 ? fmt::format(" ({} of {} cells probed)", chosen.size(), plan.cells.size())
                 : "");
  return {};
}

}  // namespace neph::cli
