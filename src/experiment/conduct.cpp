// The loop over the runs of an experiment.
#include <algorithm>

#include "core/json.hpp"
#include "experiment/experiment.hpp"
#include "experiment/worker.hpp"
#include "record/cells.hpp"
#include "store/store.hpp"

namespace neph::experiment {
namespace {

using Ended = std::set<std::pair<std::int64_t, std::int64_t>>;

std::vector<Slot> without(std::vector<Slot> slots, const Ended& ended) {
  std::erase_if(slots, [&](const Slot& slot) { return ended.contains({slot.cell, slot.repeat}); });
  return slots;
}

Result<Eta> learned_eta(const std::vector<Slot>& pending, const Experiment& experiment,
                        const store::Store& store, const Clock& clock) {
  Eta eta(pending, clock);
  NEPH_TRY(const auto runs, store.runs(experiment.id, store::Detail::summary));
  for (const auto& run : runs)
    if (run.status != RunStatus::interrupted) eta.learn(run.cell, run.wall_s);
  return eta;
}

tl::unexpected<Error> lost(const Error& error, const Cell& cell, const Slot& slot) {
  return fail(error.code, "{}; the run of {} (repeat {}) is lost, all earlier ones are kept", error.text(),
              cell.label, slot.repeat + 1);
}

void count(Outcome& outcome, RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      ++outcome.ok;
      break;
    case RunStatus::failed:
      ++outcome.failed;
      break;
    case RunStatus::interrupted:
      ++outcome.interrupted;
      break;
  }
}

}  // namespace

Result<Outcome> conduct(const Experiment& experiment, store::Store& store, const Launch& launch,
                        Observer& observer, Interrupt& interrupt, const Clock& clock) {
  NEPH_TRY(const auto cells, expand(experiment));
  NEPH_CHECK(store.set_repeat(experiment.id, experiment.repeat));
  NEPH_TRY(const Ended ended, store.finished(experiment.id));
  const auto all = order(experiment, static_cast<std::int64_t>(cells.size()));
  const auto pending = without(all, ended);
  NEPH_TRY(auto eta, learned_eta(pending, experiment, store, clock));

  Outcome outcome{.skipped = static_cast<std::int64_t>(all.size() - pending.size()),
                  .left = static_cast<std::int64_t>(pending.size())};
  for (const auto& slot : pending) {
    if (interrupt.level() > 0) break;
    const auto& cell = cells[static_cast<std::size_t>(slot.cell)];
    eta.started(slot);
    observer.run_started(slot, cell, eta);
    NEPH_TRY(auto made, run_worker(experiment.workload, cell, launch, observer, interrupt, clock));
    auto& run = made.run;
    eta.ended();
    run.experiment_id = experiment.id;
    run.cell = slot.cell;
    run.repeat = slot.repeat;
    run.position = slot.position;
    if (launch.repro) run.repro = launch.repro(cell);
    const auto id = store.add_run(run, made.machine);
    if (!id) return lost(id.error(), cell, slot);
    run.id = *id;
    --outcome.left;
    count(outcome, run.status);
    observer.run_ended(run, cell);
  }
  return outcome;
}

}  // namespace neph::experiment
