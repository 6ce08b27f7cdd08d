// What a run of a command tells at its end, out of the account of it.
#pragma once

#include "record/run.hpp"
#include "workload/command/account.hpp"

namespace neph::workload::command {

struct Spent {
  double command_s = 0;
  double cpu_s = 0;
};

/// What was not told has no figure.
void add_figures(const Account& account, const Spent& spent, RunResult& result);
/// The raw samples: a row for each step, thinned out where there are very many.
void add_steps(const Account& account, RunResult& result);
/// Whether the steps became slower, and whether what was learnt is a number.
void add_doubts(const Account& account, RunResult& result);

/// Series of the losses and accuracies that were reported once an epoch.
void add_course(const Account& account, RunResult& result);

}  // namespace neph::workload::command
