#include "host/doubts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/telemetry.hpp"

namespace neph::host {
namespace {

class Telemetered {
 public:
  explicit Telemetered(const std::vector<SeriesSummary>& summaries) : summaries_(&summaries) {}

  std::optional<double> mean(std::string_view target, const Metric& quantity) const {
    const auto* summary = find(target, quantity.name);
    return summary != nullptr ? summary->mean : std::nullopt;
  }
  std::optional<double> max(std::string_view target, const Metric& quantity) const {
    const auto* summary = find(target, quantity.name);
    return summary != nullptr ? summary->max : std::nullopt;
  }
  const std::vector<SeriesSummary>& all() const { return *summaries_; }

 private:
  const SeriesSummary* find(std::string_view target, std::string_view name) const {
    const auto found = std::find_if(
        summaries_->begin(), summaries_->end(),
        [&](const SeriesSummary& summary) { return summary.target == target && summary.name == name; });
    return found == summaries_->end() ? nullptr : &*found;
  }
  const std::vector<SeriesSummary>* summaries_;
};

using Warnings = std::vector<Warning>;

void stolen(const Telemetered& seen, Warnings& warnings) {
  const auto steal = seen.mean(target::machine, telemetry::cpu_steal);
  const auto user = seen.mean(target::machine, telemetry::cpu_user);
  const auto system = seen.mean(target::machine, telemetry::cpu_system);
  if (!steal || !user || !system || *steal < stolen_cores) return;
  const double share = *steal / (*steal + *user + *system);
  if (share < stolen_share) return;
  warnings.push_back(make_warning(
      WarningCode::stolen,
      fmt::format("steal: the hypervisor gave {:.2f} cores to others ({:.1f} % of the CPU time asked for)",
                  *steal, 100 * share)));
}

void throttled_by_quota(const Telemetered& seen, const Fingerprint& machine, Warnings& warnings) {
  const auto cores = seen.mean(target::container, telemetry::cpu_throttled);
  if (!cores || *cores < throttled_cores) return;
  const auto quota = machine.container.cpu_quota_cores;
  warnings.push_back(
      make_warning(WarningCode::throttled,
                   fmt::format("the container's CPU quota{} throttled threads for {:.2f} s each second",
                               quota ? fmt::format(" of {:.4g} cores", *quota) : "", *cores),
                   "use no more threads than the quota has cores, or raise the quota"));
}

void throttled_by_heat(const Telemetered& seen, Warnings& warnings) {
  const auto events = seen.mean(target::machine, telemetry::thermal_throttle);
  if (events && *events > 0)
    warnings.push_back(
        make_warning(WarningCode::throttled,
                     fmt::format("the processor slowed down from heat {:.2g} times a second", *events),
                     "cool the machine, wait between runs, or measure longer until the clock is steady"));
  for (const auto& summary : seen.all()) {
    const bool heat = summary.name == telemetry::throttled_by_heat.name;
    if (!heat && summary.name != telemetry::throttled_by_power.name) continue;
    if (!summary.mean || *summary.mean < gpu_throttled_share) continue;
    warnings.push_back(
        make_warning(WarningCode::throttled,
                     fmt::format("{} lowered its clock because of {} in {:.0f} % of the time", summary.target,
                                 heat ? "heat" : "its power limit", 100 * *summary.mean),
                     heat ? "cool the machine, or wait between runs"
                          : "raise the power limit (nvidia-smi -pl), or report the limit with the numbers"));
  }
}

void swapped(const Telemetered& seen, Warnings& warnings) {
  const auto faults = seen.mean(target::process, telemetry::page_faults_major);
  if (!faults || *faults < swapped_faults_per_s) return;
  const auto swap_in = seen.mean(target::machine, telemetry::swap_in).value_or(0);
  warnings.push_back(make_warning(
      WarningCode::swapped,
      fmt::format("{} pages a second had to be fetched from disk while it ran{}", format_number(*faults),
                  swap_in > 0 ? fmt::format(", {} a second of it from swap", format_bytes(swap_in)) : "")));
}

void busy_machine(const Telemetered& seen, const Fingerprint& machine, Warnings& warnings) {
  const auto user = seen.mean(target::machine, telemetry::cpu_user);
  const auto system = seen.mean(target::machine, telemetry::cpu_system);
  const auto own = seen.mean(target::process, telemetry::cpu);
  if (!user || !system || !own || !machine.processor.online) return;
  const double others = *user + *system - *own;
  const auto online = static_cast<double>(*machine.processor.online);
  if (others < busy_machine_share * online) return;
  warnings.push_back(make_warning(
      WarningCode::busy_machine,
      fmt::format("other processes used {:.2f} of {} cores", others, *machine.processor.online)));
}

// By the process's own peak: what the container holds includes files in the page cache, which fill any limit
// and harm nobody.
void memory_limit_near(const Telemetered& seen, const Fingerprint& machine, Warnings& warnings) {
  const auto limit = machine.container.memory_limit_bytes;
  const auto used = seen.max(target::process, telemetry::memory_peak);
  const auto allowed = limit ? limit : machine.memory.total_bytes;
  if (!used || !allowed || *used < memory_limit_share * static_cast<double>(*allowed)) return;
  warnings.push_back(make_warning(
      WarningCode::memory_limit_near,
      fmt::format("{} of the {} that the {} were in use", format_bytes(*used),
                  format_bytes(static_cast<double>(*allowed)), limit ? "container may use" : "machine has")));
}

void governor_not_performance(const Fingerprint& machine, Warnings& warnings) {
  const auto& governor = machine.processor.governor;
  if (!governor || *governor == "performance") return;
  warnings.push_back(make_warning(
      WarningCode::governor_not_performance,
      fmt::format("the frequency governor is '{}': clocks may rise only after work begins", *governor)));
}

}  // namespace

std::vector<Warning> doubts(const std::vector<SeriesSummary>& telemetry, const Fingerprint& machine) {
  const Telemetered seen(telemetry);
  Warnings warnings;
  stolen(seen, warnings);
  throttled_by_quota(seen, machine, warnings);
  throttled_by_heat(seen, warnings);
  swapped(seen, warnings);
  busy_machine(seen, machine, warnings);
  memory_limit_near(seen, machine, warnings);
  governor_not_performance(machine, warnings);
  return warnings;
}

}  // namespace neph::host
