// The course of a training, out of what several tellers told of it: phases that do not overlap, steps,
// epochs.
#pragma once

#include <optional>
#include <vector>

#include "record/phases.hpp"
#include "workload/command/told.hpp"

namespace neph::workload::command {

/// In seconds of the run: what was told, less its second 0.
struct Stretch {
  double begin_s = 0;
  double end_s = 0;
  double length_s() const { return end_s - begin_s; }
};

/// Between the ends of two steps that follow each other in an epoch, with nothing else between them.
struct Step {
  Stretch time;
  std::int64_t epoch = 1;
  std::int64_t number = 0;  ///< among all that were taken, from 1
};

struct Epoch {
  Stretch time;
  double learnt_s = 0;  ///< without what was verified or saved in between
  std::int64_t steps = 0;
  std::int64_t samples = 0;  ///< 0: not told
};

struct PhaseTime {
  PhaseKind kind;
  Stretch time;
};

struct Account {
  std::vector<PhaseTime> phases;  ///< of the command, in their order; none where nothing was told
  std::vector<Step> steps;
  std::vector<Epoch> epochs;
  std::int64_t steps_seen = 0;     ///< ends of steps, or how many an epoch is told to have had
  std::optional<Teller> steps_by;  ///< who told the steps; empty: nobody
  std::optional<Teller> epochs_by;
  std::optional<Stretch> learning;  ///< first to last of what is learn
  double learnt_s = 0;              ///< time of the learn phases
  double samples = 0;               ///< learnt from in that time; 0: not told
  double saved_bytes = 0;           ///< of the last checkpoint's files
  std::map<Value, double> values;
  /// What losses and accuracies came to, with the moments of the run.
  std::map<Value, std::vector<std::pair<double, double>>> course;
};

/// `command`: from its start to its end, on the clock of what was told; `origin_s`: second 0 of the run.
Account account_for(const Tellings& told, const Stretch& command, double origin_s);

}  // namespace neph::workload::command
