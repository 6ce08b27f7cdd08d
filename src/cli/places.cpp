#include "cli/places.hpp"

#include <algorithm>

namespace neph::cli {
namespace {

using Containers = std::vector<Result<std::optional<launch::Container>>>;

Containers containers_of(const Plan& plan, const workload::Workload& workload) {
  if (workload.containers == nullptr) return Containers(plan.cells.size(), std::nullopt);
  std::vector<Json> specs;
  for (const auto& cell : plan.cells) specs.push_back(cell.spec);
  return workload.containers(specs);
}

}  // namespace

std::size_t Places::add(Place place) {
  if (place.usable) place.usable = place.launcher->check();
  places_.push_back(std::move(place));
  return places_.size() - 1;
}

/// The place of one container, the same for all cells that ask for it.
std::size_t Places::in(const launch::Container& container) {
  const auto known =
      std::ranges::find_if(places_, [&](const Place& place) { return place.container == container; });
  if (known != places_.end()) return static_cast<std::size_t>(known - places_.begin());
  return add({.launcher = launch::in_docker(container), .is_container = true, .container = container});
}

Result<Places> Places::of(const Plan& plan, const workload::Workload& workload) {
  Places places;
  NEPH_TRY(auto own, launch::launcher_at(plan.options.on));
  places.add({.launcher = std::move(own), .is_container = plan.options.on != PlanOptions{}.on});
  for (const auto& container : containers_of(plan, workload)) {
    if (container) {
      places.of_cell_.push_back(*container ? places.in(**container) : 0);
      continue;
    }
    if (container.error().code == ErrorCode::invalid_argument) return tl::unexpected(container.error());
    places.of_cell_.push_back(places.add({.usable = tl::unexpected(container.error())}));
  }
  return places;
}

}  // namespace neph::cli
