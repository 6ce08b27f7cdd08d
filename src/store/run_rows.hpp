// A run to and from its rows.
#pragma once

#include <optional>
#include <vector>

#include "record/run.hpp"
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

}  // namespace neph::store
