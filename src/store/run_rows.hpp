// A run to and from its rows.
#pragma once

#include <optional>
#include <vector>

#include "record/machine.hpp"
#include "record/run.hpp"
#include "store/sqlite.hpp"
#include "store/store.hpp"

namespace neph::store {

class Connection;

/// Inside a transaction of the caller, made on this machine. Returns the run's number.
Result<std::int64_t> write_run(const Connection& connection, const Run& run,
                               std::optional<std::int64_t> machine_id);

/// Which runs to read.
struct Selection {
  enum class By { run, experiment } by = By::run;
  std::int64_t id = 0;
};

/// In the order of their numbers; inside a transaction of the caller.
Result<std::vector<Run>> read_runs(const Connection& connection, Selection selection, Detail detail);

/// The number of the machine with this fingerprint: a known one that is the same, rather one that the
/// experiment has runs of, or else a new row. Empty: the fingerprint is. Inside a transaction of the caller.
Result<std::optional<std::int64_t>> number_of_machine(const Connection& connection, const Json& fingerprint,
                                                      std::int64_t experiment_id);

/// Those that the experiment has runs of, in the order of their first runs.
Result<std::vector<Machine>> read_machines(const Connection& connection, std::int64_t experiment_id);

/// Of a schema below 5: a row for each fingerprint in `experiment.machine`. As it stands there, because
/// exports show it; so two rows may be the same machine at two moments, never of one experiment.
Status write_machines_of_experiments(const Connection& connection);

}  // namespace neph::store
