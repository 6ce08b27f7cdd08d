// Where the runs of each cell are made: the plan's place, or a container that a cell asks for.
#pragma once

#include <memory>
#include <vector>

#include "cli/plan.hpp"
#include "launch/launch.hpp"
#include "workload/workload.hpp"

namespace neph::cli {

class Places {
 public:
  /// Checks each place once, which may pull an image. Errors: unavailable.
  static Result<Places> of(const Plan& plan, const workload::Workload& workload);
  launch::Launcher& of(const Cell& cell) const {
    return *launchers_[of_cell_[static_cast<std::size_t>(cell.index)]];
  }

 private:
  std::vector<std::unique_ptr<launch::Launcher>> launchers_;  ///< the plan's place first
  std::vector<std::size_t> of_cell_;                          ///< index in launchers_
};

}  // namespace neph::cli
