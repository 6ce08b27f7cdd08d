#include "cli/places.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "host/host.hpp"
#include "record/phases.hpp"

namespace neph::cli {
namespace {

using Containers = std::vector<Result<std::optional<launch::Container>>>;

Containers containers_of(const Plan& plan, const workload::Workload& workload) {
  if (workload.containers == nullptr) return Containers(plan.cells.size(), std::nullopt);
  std::vector<Json> specs;
  for (const auto& cell : plan.cells) specs.push_back(cell.spec);
  return workload.containers(specs);
}

struct Stretch {
  double begin_s, end_s;
};

/// From the first to the last moment of what the run measured; of one that did not come so far, all that was
/// seen of it.
Stretch measured(const RunResult& result, const std::vector<Series>& seen) {
  Stretch stretch{std::numeric_limits<double>::max(), 0};
  for (const auto& phase : result.phases) {
    const auto* kind = find_phase(phase.name);
    if (kind == nullptr || kind->stage != BillStage::learn) continue;
    stretch.begin_s = std::min(stretch.begin_s, phase.begin_s);
    stretch.end_s = std::max(stretch.end_s, phase.end_s);
  }
  if (stretch.begin_s < stretch.end_s) return stretch;
  Stretch all{0, 0};
  for (const auto& series : seen)
    if (!series.at_s.empty()) all.end_s = std::max(all.end_s, series.at_s.back());
  return all;
}

class HostView final : public experiment::Onlooker {
 public:
  explicit HostView(std::unique_ptr<host::Telemetry> telemetry) : telemetry_(std::move(telemetry)) {}

  void add_to(RunResult& result) override {
    auto series = telemetry_->stop();
    const auto [begin_s, end_s] = measured(result, series);
    std::ranges::move(host::summarise(series, begin_s, end_s), std::back_inserter(result.telemetry));
    std::ranges::move(series, std::back_inserter(result.series));
  }

 private:
  std::unique_ptr<host::Telemetry> telemetry_;
};

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

std::unique_ptr<experiment::Onlooker> view_from_host(const launch::Child& child, const Clock& clock,
                                                     Moment origin) {
  const auto id = child.id();
  if (!id) return nullptr;
  auto telemetry = host::Telemetry::start(
      {.pid = *id, .process = "host", .machine = false, .control_group_alone = true}, clock, origin);
  return telemetry ? std::make_unique<HostView>(std::move(*telemetry)) : nullptr;
}

}  // namespace neph::cli
