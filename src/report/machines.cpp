#include "report/machines.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "–" : text; }

std::string gpus_text(const Machine& machine) {
  if (machine.gpus == 0) return "–";
  return machine.gpu.empty() ? std::to_string(machine.gpus) : fmt::format("{} {}", machine.gpus, machine.gpu);
}

}  // namespace

Json fingerprint_of(const Document& document, const CellSummary& cell) {
  const auto& machines = document.machines;
  if (machines.size() == 1) return machines.front().fingerprint;
  std::set<std::int64_t> used;
  for (const auto& run : document.runs)
    if (run.cell == cell.cell.index && run.status == RunStatus::ok && run.machine_id)
      used.insert(*run.machine_id);
  if (used.size() != 1) return {};
  const auto found = std::ranges::find(machines, *used.begin(), &Machine::id);
  return found == machines.end() ? Json() : found->fingerprint;
}

std::vector<std::vector<std::string>> machine_rows(const Document& document) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& machine : document.machines) {
    const auto runs = std::ranges::count(document.runs, machine.id,
                                         [](const Run& run) { return run.machine_id.value_or(0); });
    rows.push_back({fmt::format("#{}", machine.id), or_dash(machine.provider), or_dash(machine.instance_type),
                    or_dash(machine.processor), machine.cores ? plain(*machine.cores) : "–",
                    machine.memory_bytes ? format_bytes(static_cast<double>(*machine.memory_bytes)) : "–",
                    gpus_text(machine), std::to_string(runs)});
  }
  return rows;
}

}  // namespace neph::report
