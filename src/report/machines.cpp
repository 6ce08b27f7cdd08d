#include "report/machines.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "–" : text; }

std::string gpus_text(const Machine& machine) {
  if (machine.gpus == 0) return "–";
  return machine.gpu.empty() ? std::to_string(machine.gpus) : fmt::format("{} {}", machine.gpus, machine.gpu);
}

/// A leaf of the fingerprint in words; the unit is the ending of its name.
std::string leaf_text(const std::string& name, const Json& value) {
  if (value.is_null()) return "not known";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (const auto unit = unit_of_name(name); value.is_number() && !unit.empty())
    return format_quantity(value.get<double>(), unit);
  if (value.is_string()) return value.get<std::string>().empty() ? "–" : value.get<std::string>();
  return dump_json(value);
}

/// A list in one line: its texts, or its objects as "name: value" pairs.
std::string list_text(const std::string& name, const Json& list) {
  std::string out;
  for (const auto& entry : list) {
    std::string text;
    if (entry.is_object()) {
      for (const auto& [key, value] : entry.items())
        if (!value.is_null())
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", in_words(key), leaf_text(key, value));
    } else {
      text = leaf_text(name, entry);
    }
    out += (out.empty() ? "" : entry.is_object() ? "; " : ", ") + text;
  }
  return out.empty() ? "none" : out;
}

}  // namespace

std::string fact_name(std::string name) {
  for (const std::string_view unit : {"_bytes", "_hz"})
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  return in_words(name);
}

std::string fact_text(const std::string& name, const Json& value) {
  return value.is_array() ? list_text(name, value) : leaf_text(name, value);
}

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

std::optional<double> allowed_cores(const Document& document, const CellSummary& cell) {
  auto cores = usable_cores(fingerprint_of(document, cell));
  const auto lower = [&](double bound) { cores = std::min(cores.value_or(bound), bound); };
  if (const auto bound = get(cell.facts, fact::cores)) lower(static_cast<double>(*bound));
  const auto threads = field_of(cell, document.experiment, "threads");
  // Threads are those of an engine or a training: loaders, clients and a watched server have their own.
  constexpr double idle = 0.05;
  const auto busy = [&](const auto& of) { return busy_cores(cell, of).value_or(0); };
  const bool has_others = document.experiment.workload == view::infer.workload &&
                          busy(target::loader) + busy(target::client) >= idle;
  if (threads.is_number() && threads.get<double>() >= 1 && !has_others &&
      document.experiment.workload != view::load.workload &&
      busy(target::application) <= threads.get<double>() + idle)
    lower(threads.get<double>());
  return cores;
}

std::string counted_cores(double cores) { return plain(cores) + (cores == 1 ? " core" : " cores"); }

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
