#include "predict/features/machines.hpp"

#include <algorithm>

#include "core/json.hpp"
#include "core/lists.hpp"
#include "core/text.hpp"
#include "core/toml.hpp"
#include "os/file.hpp"

extern "C" const char neph_machines[], neph_machines_end[];

namespace neph::predict {

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
  for (const auto& device : own.device)
    if (device.name.empty() || !(device.fp32_tflops > 0) || !(device.bandwidth_gb_s > 0))
      return fail(ErrorCode::invalid_argument,
                  "{}: [[device]] '{}' needs a name, and fp32_tflops and bandwidth_gb_s above 0, as its data "
                  "sheet has them",
                  file.string(), device.name);
  const auto all = known_machines_and(own);
  for (const auto& machine : own.machine)
    if (machine.name.empty() || !all.device_of(machine.device))
      return fail(
          ErrorCode::invalid_argument,
          "{}: [[machine]] '{}' has the device '{}', which is not known; add a [[device]] of that name",
          file.string(), machine.name, machine.device);
  return own;
}

}  // namespace neph::predict
