#include "cli/places.hpp"

#include <algorithm>

namespace neph::cli {

Result<Places> Places::of(const Plan& plan, const workload::Workload& workload) {
  Places places;
  std::vector<launch::Container> containers;  // of launchers_ from the second on
  NEPH_TRY(auto first, launch::launcher_at(plan.options.on));
  places.launchers_.push_back(std::move(first));
  for (const auto& cell : plan.cells) {
    std::optional<launch::Container> container;
    if (workload.container != nullptr) {
      NEPH_TRY(container, workload.container(cell.spec));
    }
    std::size_t place = 0;
    if (container) {
      const auto known = std::ranges::find(containers, *container);
      place = 1 + static_cast<std::size_t>(known - containers.begin());
      if (known == containers.end()) {
        places.launchers_.push_back(launch::in_docker(*container));
        containers.push_back(std::move(*container));
      }
    }
    places.of_cell_.push_back(place);
  }
  for (const auto& launcher : places.launchers_) NEPH_CHECK(launcher->check());
  return places;
}

}  // namespace neph::cli
