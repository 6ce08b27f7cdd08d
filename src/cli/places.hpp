// Where the runs of each cell are made: the plan's place, or a container that a cell asks for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/plan.hpp"
#include "experiment/experiment.hpp"
#include "launch/launch.hpp"
#include "workload/workload.hpp"

namespace neph::cli {

class Places {
 public:
  /// Checks each place once, which may pull an image. A place where nothing can run refuses its cells.
  /// Errors: invalid_argument (a container that nobody can mean).
  static Result<Places> of(const Plan& plan, const workload::Workload& workload);
  /// Of a cell that is not refused.
  launch::Launcher& of(const Cell& cell) const { return *place_of(cell).launcher; }
  /// Errors: why no run of the cell can be made.
  const Status& check(const Cell& cell) const { return place_of(cell).usable; }
  /// Whether its runs are made in a container.
  bool is_container(const Cell& cell) const { return place_of(cell).is_container; }

 private:
  struct Place {
    std::unique_ptr<launch::Launcher> launcher{};  ///< null: there is none
    Status usable{};
    bool is_container = false;
    std::optional<launch::Container> container{};
  };
  const Place& place_of(const Cell& cell) const {
    return places_[of_cell_[static_cast<std::size_t>(cell.index)]];
  }
  std::size_t add(Place place);
  std::size_t in(const launch::Container& container);

  std::vector<Place> places_;  ///< the plan's first
  std::vector<std::size_t> of_cell_;
};

/// Null where the container's process is not to be found here. `clock` must outlive it.
std::unique_ptr<experiment::Onlooker> view_from_host(const launch::Child& child, const Clock& clock,
                                                     Moment origin);

}  // namespace neph::cli
