// Machines to and from their rows. What makes two machines the same one says record/machine.hpp.
#pragma once

#include <vector>

#include "record/machine.hpp"
#include "store/sqlite.hpp"

namespace neph::store {

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
