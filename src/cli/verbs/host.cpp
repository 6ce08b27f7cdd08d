#include "host/host.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/outline.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/lists.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "device/device.hpp"
#include "os/cores.hpp"

namespace neph::cli {
namespace {

struct HostCommand {
  bool json = false, peaks = false, devices = false;
  std::string names, machines;
};

struct Named {
  std::string name;  ///< as it was asked for
  device::Hardware hardware;
};

/// The devices that were asked for, or all.
Result<std::vector<Named>> devices_of(const HostCommand& options) {
  device::SheetFile own;
  if (!options.machines.empty()) {
    NEPH_TRY(own, device::read_sheets(options.machines));
  }
  const auto sheets = device::built_in_and(own);
  std::vector<Named> found;
  if (options.names.empty())
    for (const auto& sheet : sheets.sheets()) found.push_back({sheet.name, {sheet, 1}});
  for (const auto name : split_at(options.names, ',')) {
    if (name.empty()) continue;
    NEPH_TRY(auto hardware, sheets.at(name));
    found.push_back({std::string(name), std::move(hardware)});
  }
  return found;
}

std::string figure(double value) { return value > 0 ? fmt::format("{:.6g}", value) : "-"; }

Status print_devices(const HostCommand& options) {
  NEPH_TRY(const auto devices, devices_of(options));
  if (options.json) {
    Json all = Json::array();
    for (const auto& [name, hardware] : devices)
      all.push_back({{"name", name}, {"devices", hardware.devices}, {"sheet", to_json(hardware.sheet)}});
    fmt::print("{}\n", dump_json(all, true));
    return {};
  }
  TextTable table({"device", "maker", "architecture", "year", "fp32 TFLOP/s", "tf32", "fp16", "fp8",
                   "int8 TOP/s", "GB/s", "GB", "units", "MHz", "W", "source"});
  for (const auto& [name, hardware] : devices) {
    const auto& sheet = hardware.sheet;
    const auto count = hardware.devices == 1 ? "" : fmt::format("{:.3g} x ", hardware.devices);
    const auto spelled = same_words(name, sheet.name) ? "" : fmt::format("{}: ", name);
    table.add({printable(spelled + count + sheet.name), printable(sheet.maker), printable(sheet.architecture),
               figure(static_cast<double>(sheet.year)), figure(sheet.fp32_tflops), figure(sheet.tf32_tflops),
               figure(sheet.fp16_tflops), figure(sheet.fp8_tflops), figure(sheet.int8_tops),
               figure(sheet.bandwidth_gb_s), figure(sheet.memory_gb),
               figure(static_cast<double>(sheet.units)), figure(sheet.clock_mhz), figure(sheet.power_w),
               printable(sheet.source)});
  }
  fmt::print("{}-: not published; peaks are dense, at the boost clock\n", table.text());
  return {};
}

}  // namespace

void declare_host(Command& command) {
  auto options = std::make_shared<HostCommand>();
  command.flag("json", options->json, "as JSON on stdout");
  command.flag(
      "peaks", options->peaks,
      "also measure what it can do at most: arithmetic in f32 and bytes to and from memory; a second");
  command.flag("devices", options->devices,
               "instead: the data sheets of devices and providers' machines that predictions and prices use");
  command.positional("names", options->names,
                     "with --devices: names, with commas between, however they are spelled; by default all",
                     false);
  command.option("machines", options->machines,
                 "with --devices: TOML file of your own devices and machines, as examples/machines.toml");
  command.footer(
      "Examples:\n"
      "  neph host --devices\n"
      "  neph host --devices 'h100,NVIDIA A100-SXM4-80GB,g6.xlarge'");
  command.action([options]() -> Status {
    if (options->devices) return print_devices(*options);
    if (!options->names.empty() || !options->machines.empty())
      return fail(ErrorCode::invalid_argument,
                  "names and --machines belong to --devices: neph host --devices {}", options->names);
    auto machine = to_json(host::take_fingerprint());
    if (options->peaks) {
      NEPH_TRY(const auto roof, host::measure_roof(usable_cores()));
      machine["peaks"] = to_json(roof);
    }
    fmt::print("{}", options->json ? dump_json(machine, true) + "\n" : outline(machine));
    return {};
  });
}

}  // namespace neph::cli
