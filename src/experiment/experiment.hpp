// Experiments: factors × repeats → runs in a seeded random order, each in a process of its own; and what the
// repeats of a cell say together.
//
// What it is: the order of the runs, their execution (conduct: start a worker, hand it its cell as JSON,
// read what it says line by line, store the run, go on), its resumption, and its summary.
//
// What it does not do: measure anything, or know what a worker does or where it runs: a launcher starts it
// (launch/launch.hpp), and two streams of lines are all that passes (record/order.hpp, record/event.hpp).
//
// The order is a randomised complete block design (Fisher, The Design of Experiments, 1935, sections 9 to 11
// and 26; Montgomery, Design and Analysis of Experiments, chapter 4): a block is one repeat of every cell,
// and within a block the order is shuffled. Drift of the machine becomes noise and not bias; an interrupted
// experiment has in each cell as many repeats as in any other, or one more; and two cells are compared
// repeat by repeat, which takes the drift between blocks out of the comparison.
//
// Threads: call conduct() from a thread that lives until it returns (Linux ties the worker's death to the
// thread that started it); it starts no thread. Interrupt::raise may be called from a signal handler or
// another thread, all else by one thread at a time.
// Ownership: values; what conduct() borrows must outlive the call.
// Cost: the controller sleeps while a worker runs, and wakes for each line that it says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "launch/launch.hpp"
#include "record/event.hpp"
#include "record/experiment.hpp"

namespace neph::store {
class Store;
}

namespace neph::experiment {

// ---- Design ----------------------------------------------------------------------------------------------

/// One run to do.
struct Slot {
  std::int64_t cell = 0;      ///< Cell::index
  std::int64_t repeat = 0;    ///< the block, from 0
  std::int64_t position = 0;  ///< place in the whole order, from 0
  bool operator==(const Slot&) const = default;
};

/// Block after block, shuffled within by the experiment's seed; the same on every machine. More repeats
/// only add blocks at the end.
std::vector<Slot> order(const Experiment& experiment, std::int64_t cells);

// ---- Execution -------------------------------------------------------------------------------------------

/// Expands, stores, and returns the experiment with its number. Errors: of expand() and of the store.
Result<Experiment> begin(const Experiment& experiment, store::Store& store);

/// The newest stored experiment with the same workload, spec, factors and place of its runs (--on of its
/// command; none: here), with the repeats of the given one; nullopt: there is none. Repeats are not compared,
/// so that a resumed experiment may have more or fewer; nor are seed and version, which it keeps from its
/// start; its runs may be made on several machines. `seed`: only one of which the runs are in the order of
/// that.
Result<std::optional<Experiment>> find_resumable(const store::Store& store, const Experiment& experiment,
                                                 std::optional<std::uint64_t> seed = {});

/// Watches from here what a run's process does somewhere else.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  /// Called once, when the run has ended: adds what was seen.
  virtual void add_to(RunResult& result) = 0;
};

/// How workers are started and ended. What it borrows must outlive conduct().
struct Launch {
  std::function<launch::Launcher&(const Cell&)> launcher;  ///< starts the cell's runs
  std::function<launch::Files(const Cell&)> files{};       ///< what they read; none: nothing
  std::function<bool(const Cell&)> is_left_out{};          ///< no run of it is made; none: all are
  /// Most runs at once; two of one machine (launch::Launcher::machine) never are.
  std::int64_t slots = 1;
  double timeout_s = 0;  ///< a run that takes longer has failed; 0: no limit
  double grace_s = 2;    ///< between the word to stop and SIGKILL
  double exit_s = 30;    ///< how long a worker may take to end after its last line
  std::size_t max_line_bytes = std::size_t{1} << 30;  ///< a longer line is no line of ours
  std::function<std::string(const Cell&)> repro{};    ///< the command that repeats a run of the cell
  /// Asked once the worker has told where it runs: who watches it from here; null: nobody. `origin`: second 0
  /// of the run's times.
  std::function<std::unique_ptr<Onlooker>(const Cell&, const launch::Child&, Moment origin)> onlooker{};
};

/// Ctrl-C, as the controller understands it. raise() is async-signal-safe.
class Interrupt {
 public:
  Interrupt();

  void raise() noexcept;
  /// 0: go on; 1: finish the run in progress, then stop; 2: stop now.
  int level() const noexcept;
  /// Readable since the last call of clear(), when raise() has been called; -1: not available.
  int descriptor() const noexcept { return descriptor_.get(); }
  void clear() noexcept;

 private:
  std::atomic<int> level_{0};
  Descriptor descriptor_;
};

/// Time left, from what earlier runs took: the mean of the same cell's runs, or of all runs where the cell
/// has none.
class Eta {
 public:
  Eta(const std::vector<Slot>& pending, const Clock& clock);

  /// A run of the cell took `wall_s` (earlier, or as a guess before the first).
  void learn(std::int64_t cell, double wall_s);
  /// The slot's run begins now; it was pending.
  void started(const Slot& slot);
  /// Its run has ended, which teaches its time.
  void ended(const Slot& slot);

  std::int64_t runs_left() const;
  /// Seconds, what is in progress included, as many at once as there are now; nullopt: nothing known yet.
  std::optional<double> left_s() const;

 private:
  struct Seen {
    double sum_s = 0;
    std::int64_t runs = 0;
  };
  struct Current {
    std::int64_t cell = 0;
    Moment begin;
  };
  std::optional<double> expected_s(std::int64_t cell) const;

  std::map<std::int64_t, std::int64_t> pending_;  ///< runs to do, by cell
  std::map<std::int64_t, Seen> seen_;
  Seen all_;
  std::map<std::int64_t, Current> current_;  ///< by position in the order
  const Clock& clock_;
};

/// Who watches an experiment. Called by conduct(), in its thread; where several runs are in progress, what
/// one says comes between what others say.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `eta` lives until conduct() returns, and may be asked whenever something is heard.
  virtual void run_started(const Slot&, const Cell&, const Eta& /*eta*/) {}
  /// The worker has told where it runs.
  virtual void began(const Began&) {}
  virtual void phase_ended(const Phase&) {}
  virtual void progress(const Progress&) {}
  virtual void note(const Note&) {}
  virtual void warning(const Warning&) {}
  /// One line of the worker's standard error.
  virtual void worker_said(std::string_view /*line*/) {}
  /// The first interrupt was heard: what is in progress is the last.
  virtual void finishing() {}
  /// It is stored.
  virtual void run_ended(const Run&, const Cell&) {}
};

struct Outcome {
  std::int64_t ok = 0;           ///< runs of this call
  std::int64_t failed = 0;       ///< runs of this call
  std::int64_t interrupted = 0;  ///< stopped in progress; they will be repeated
  std::int64_t skipped = 0;      ///< had ended before this call
  std::int64_t left = 0;         ///< neither ended nor begun: stopped by the user
  bool complete() const { return left == 0 && interrupted == 0; }
};

/// Does what is left of the experiment `experiment.id`. A run that fails is stored with its reason and the
/// experiment goes on. Errors: those of a launcher that starts nothing, and those of the store, which name
/// the run that is lost; all earlier ones are kept, and what is in progress is killed.
Result<Outcome> conduct(const Experiment& experiment, store::Store& store, const Launch& launch,
                        Observer& observer, Interrupt& interrupt, const Clock& clock);

/// The result of a worker here for a `spec` that starts no run (record/order.hpp). The worker is killed when
/// it is silent for `timeout_s` (0: no limit), and by the first interrupt. Errors: unavailable, with the
/// reason.
Result<RunResult> query_worker(const std::string& workload, const Json& spec, double timeout_s,
                               Observer& observer, Interrupt& interrupt, const Clock& clock);

// ---- Summary ---------------------------------------------------------------------------------------------

/// One per cell, in the order of the cells; cells without runs too (verdict invalid). Figures are means over
/// the repeats with Student's t interval (one run: that run's own estimate). Latencies, in milliseconds, are
/// quantiles over all samples of all repeats (done_s - scheduled_s where there is a schedule, else
/// done_s - issued_s), their interval from the repeats; they need runs in full detail. Added warnings:
/// few_repeats, few_requests, wide_interval, outlier_runs, drift_over_runs, some_runs_failed.
std::vector<CellSummary> summarise(const Experiment& experiment, const std::vector<Run>& runs);

/// Cells that must give the same answers, because they differ in no factor of `answer_factors` (those that
/// may change answers: precision, model, ...) and answered for as many pictures (fact distinct_pictures), and
/// do not: a warning answers_differ for each, in the summary
/// of the cell that differs from the first of its group, with the number of answers that differ.
void check_agreement(std::vector<CellSummary>& summaries, const std::vector<Run>& runs,
                     const std::vector<std::string>& answer_factors);

/// Where the runs that ended well were made on several machines: a warning machines_differ for each cell,
/// with the machines of its runs.
void check_machines(std::vector<CellSummary>& summaries, const std::vector<Run>& runs);

}  // namespace neph::experiment
