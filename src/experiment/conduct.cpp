// The loop over the runs of an experiment.
#include <algorithm>
#include <utility>

#include "core/json.hpp"
#include "experiment/experiment.hpp"
#include "experiment/worker.hpp"
#include "os/orphans.hpp"
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

/// Starts what may run, hears what runs, keeps what has ended.
struct Conductor {
  const Experiment& experiment;
  const std::vector<Cell>& cells;
  std::vector<Slot> pending;
  Eta eta;
  store::Store& store;
  const Launch& launch;
  Observer& observer;
  Interrupt& interrupt;
  const Clock& clock;
  Outcome outcome{};

  Result<Outcome> run() {
    NEPH_CHECK(start_what_may_run());
    while (!running.empty()) {
      heed_interrupt();
      wait();
      NEPH_CHECK(keep_what_ended());
    }
    NEPH_CHECK(take_in());
    return outcome;
  }

  struct Running {
    Slot slot;
    std::string machine;
    std::unique_ptr<Worker> worker;
  };

  const Cell& cell_of(const Slot& slot) const { return cells[static_cast<std::size_t>(slot.cell)]; }

  bool is_busy(const std::string& machine) const {
    return std::any_of(running.begin(), running.end(),
                       [&](const Running& each) { return each.machine == machine; });
  }

  /// In the order of the design, but past what waits for its machine.
  Status start_what_may_run() {
    for (auto next = pending.begin(); next != pending.end();) {
      if (std::ssize(running) >= launch.slots || interrupt.level() > 0) break;
      auto& launcher = launch.launcher(cell_of(*next));
      if (is_busy(launcher.machine())) {
        ++next;
        continue;
      }
      const auto slot = *next;
      next = pending.erase(next);
      NEPH_CHECK(start(slot, launcher));
    }
    return {};
  }

  Status start(const Slot& slot, launch::Launcher& launcher) {
    const auto& cell = cell_of(slot);
    eta.started(slot);
    observer.run_started(slot, cell, eta);
    NEPH_TRY(auto worker, Worker::start(experiment.workload, cell, launcher, launch, observer, clock));
    running.push_back({slot, launcher.machine(), std::move(worker)});
    return {};
  }

  void heed_interrupt() {
    const int level = interrupt.level();
    if (level > 0 && !std::exchange(is_told_to_finish, true)) {
      for (const auto& each : running) each.worker->finish();
      if (level == 1) observer.finishing();
    }
    for (const auto& each : running) {
      if (level > 1) each.worker->interrupt();
      each.worker->check_timeouts();
    }
  }

  void wait() {
    std::vector<launch::Child*> children;
    std::optional<Moment> until;
    for (const auto& each : running) {
      children.push_back(&each.worker->child());
      if (const auto due = each.worker->next_timeout()) until = std::min(until.value_or(*due), *due);
    }
    launch::Child::wait(children, until, interrupt.descriptor());
    interrupt.clear();
  }

  Status keep_what_ended() {
    for (auto each = running.begin(); each != running.end();) {
      if (!each->worker->child().exit()) {
        ++each;
        continue;
      }
      const auto ended = std::move(*each);
      running.erase(each);
      if (running.empty()) adoption.end_all();
      eta.ended(ended.slot);
      NEPH_CHECK(keep(ended.slot, ended.worker->made()));
      NEPH_CHECK(start_what_may_run());
      each = running.begin();
    }
    return {};
  }

  Status keep(const Slot& slot, Made made) {
    const auto& cell = cell_of(slot);
    auto& run = made.run;
    run.experiment_id = experiment.id;
    run.cell = slot.cell;
    run.repeat = slot.repeat;
    run.position = slot.position;
    if (launch.repro) run.repro = launch.repro(cell);
    const auto id = store.add_run(run, made.machine);
    run.id = id.value_or(0);
    if (!id) NEPH_CHECK(keep_beside(run, made.machine, id.error()));
    --outcome.left;
    count(outcome, run.status);
    observer.run_ended(run, cell);
    return {};
  }

  /// A store that is locked or full now may take it later.
  Status keep_beside(const Run& run, const Json& machine, const Error& error) {
    const Slot slot{run.cell, run.repeat, run.position};
    const auto file = error.subject == store::ended_already ? tl::unexpected(error)
                                                            : store.keep_beside(experiment, run, machine);
    if (!file) return lost(error, cell_of(slot), slot);
    observer.note({fmt::format("{}; until then the run is kept in {}", error.text(), file->string())});
    beside = *file;
    return {};
  }

  /// Once more, at the end.
  Status take_in() {
    if (beside.empty()) return {};
    const auto taken = store.take_in();
    if (taken || !std::filesystem::exists(beside)) return {};
    return fail(taken.error().code,
                "{}; what was measured is kept for the next run into this store, in {}.run-*.json",
                taken.error().text(), store.path().string());
  }

  std::filesystem::path beside{};  ///< the last run that the store could not take
  Adoption adoption{};             ///< of what workers leave behind
  std::vector<Running> running{};
  bool is_told_to_finish = false;
};

}  // namespace

Result<Outcome> conduct(const Experiment& experiment, store::Store& store, const Launch& launch,
                        Observer& observer, Interrupt& interrupt, const Clock& clock) {
  NEPH_TRY(const auto cells, expand(experiment));
  NEPH_CHECK(store.set_repeat(experiment.id, experiment.repeat));
  NEPH_TRY(const Ended ended, store.finished(experiment.id));
  auto all = order(experiment, std::ssize(cells));
  if (launch.is_left_out)
    std::erase_if(all, [&](const Slot& slot) {
      return launch.is_left_out(cells[static_cast<std::size_t>(slot.cell)]);
    });
  auto pending = without(all, ended);
  NEPH_TRY(auto eta, learned_eta(pending, experiment, store, clock));
  const Outcome outcome{.skipped = std::ssize(all) - std::ssize(pending), .left = std::ssize(pending)};
  return Conductor{experiment, cells,    std::move(pending), std::move(eta), store,
                   launch,     observer, interrupt,          clock,          outcome}
      .run();
}

}  // namespace neph::experiment
