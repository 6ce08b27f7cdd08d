#include "predict/features/machines.hpp"

#include <algorithm>

#include "core/lists.hpp"
#include "core/text.hpp"
#include "core/toml.hpp"
#include "os/file.hpp"

extern "C" const char neph_machines[], neph_machines_end[];

namespace neph::predict {
namespace {

/// Of the heading of the entry at `place` of its kind; 0: it is written in another way.
std::size_t line_of(std::string_view text, std::string_view kind, std::size_t place) {
  const auto heading = fmt::format("[[{}]]", kind);
  std::size_t number = 0, seen = 0;
  for (const auto line : split_at(text, '\n')) {
    ++number;
    if (line.starts_with(heading) && seen++ == place) return number;
  }
  return 0;
}

}  // namespace

std::optional<Device> MachineTable::device_of(std::string_view name) const {
  const auto is_it = [&](const auto& known) { return same_words(known.name, name); };
  if (const auto found = std::ranges::find_if(machine, is_it); found != machine.end()) name = found->device;
  const auto found = std::ranges::find_if(device, is_it);
  return found == device.end() ? std::nullopt : std::optional(*found);
}

const MachineTable& known_machines() {
  static const auto table = [] {
    const std::string name = "the built-in machines.toml";
    const auto json = parse_toml({neph_machines, neph_machines_end}, name);
    return from_json<MachineTable>(json.value(), name).value();
  }();
  return table;
}

MachineTable known_machines_and(const MachineTable& own) {
  auto all = own;
  const auto& known = known_machines();
  all.device.insert(all.device.end(), known.device.begin(), known.device.end());
  all.machine.insert(all.machine.end(), known.machine.begin(), known.machine.end());
  return all;
}

Result<MachineTable> read_machines(const std::filesystem::path& file) {
  NEPH_TRY(const auto text, read_file(file));
  NEPH_TRY(const auto json, parse_toml(text, file.string()));
  NEPH_TRY(auto own, from_json<MachineTable>(json, file.string()));
  const auto entry = [&](std::string_view kind, std::size_t place) {
    return fmt::format("{}:{}: [[{}]]", file.string(), line_of(text, kind, place), kind);
  };
  for (std::size_t i = 0; i < own.device.size(); ++i)
    if (const auto& device = own.device[i];
        device.name.empty() || !(device.fp32_tflops > 0) || !(device.bandwidth_gb_s > 0))
      return fail(ErrorCode::invalid_argument,
                  "{} needs a name, and fp32_tflops and bandwidth_gb_s above 0, as its data sheet has them",
                  entry("device", i));
  const auto all = known_machines_and(own);
  for (std::size_t i = 0; i < own.machine.size(); ++i)
    if (const auto& machine = own.machine[i]; machine.name.empty() || !all.device_of(machine.device))
      return fail(ErrorCode::invalid_argument,
                  "{}: machine '{}' has the device '{}', which is not known; add a [[device]] of that name",
                  entry("machine", i), machine.name, machine.device);
  return own;
}

}  // namespace neph::predict
