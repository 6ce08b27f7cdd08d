// A run to and from its rows.
#pragma once

#include <vector>

#include "record/run.hpp"
#include "store/store.hpp"

namespace neph::store {

class Connection;

/// Inside a transaction of the caller. Returns the run's number.
Result<std::int64_t> write_run(const Connection& connection, const Run& run);

/// Which runs to read.
struct Selection {
  enum class By { run, experiment } by = By::run;
  std::int64_t id = 0;
};

/// In the order of their numbers; inside a transaction of the caller.
Result<std::vector<Run>> read_runs(const Connection& connection, Selection selection, Detail detail);

}  // namespace neph::store
