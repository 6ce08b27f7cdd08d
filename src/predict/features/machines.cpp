#include "predict/features/machines.hpp"

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "core/toml.hpp"
#include "os/file.hpp"

namespace neph::predict {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Of the heading of the entry at `place` of its kind; 0: it is written in another way.
std::size_t line_of(std::string_view text, std::string_view kind, std::size_t place) {
  const auto heading = fmt::format("[[{}]]", kind);
  std::size_t number = 0, seen = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    ++number;
    if (trimmed(text.substr(begin, end - begin)).starts_with(heading) && seen++ == place) return number;
    begin = end + 1;
  }
  return 0;
}

}  // namespace

std::optional<Device> MachineTable::device_of(std::string_view name) const {
  for (const auto& known : machine)
    if (same_name(known.name, name)) {
      name = known.device;
      break;
    }
  for (const auto& known : device)
    if (same_name(known.name, name)) return known;
  return std::nullopt;
}

const MachineTable& known_machines() {
  static const std::string data_sheet = "NVIDIA's data sheet of the product",
                           list = "the provider's list of instance types";
  static const MachineTable table{
      .device = {{"K80", 4.37, 4.37, 240, 12, data_sheet + "; one of the board's two processors, with boost"},
                 {"M60", 4.83, 4.83, 160, 8, data_sheet + "; one of the board's two processors"},
                 {"P100", 9.3, 18.7, 732, 16, data_sheet + " (PCIe)"},
                 {"V100", 15.7, 125, 900, 16, data_sheet + " (SXM2)"},
                 {"T4", 8.1, 65, 320, 16, data_sheet},
                 {"A10G", 31.2, 70, 600, 24, data_sheet},
                 {"L4", 30.3, 121, 300, 24, data_sheet},
                 {"L40S", 91.6, 362, 864, 48, data_sheet},
                 {"A100-40", 19.5, 312, 1555, 40, data_sheet + " (SXM)"},
                 {"A100-80", 19.5, 312, 2039, 80, data_sheet + " (SXM)"},
                 {"H100", 66.9, 989, 3350, 80, data_sheet + " (SXM)"},
                 {"H200", 66.9, 989, 4800, 141, data_sheet + " (SXM)"}},
      .machine = {{"p2.xlarge", "K80", 1, 4, list},          {"p2.8xlarge", "K80", 8, 32, list},
                  {"p2.16xlarge", "K80", 16, 64, list},      {"g3s.xlarge", "M60", 1, 4, list},
                  {"g3.4xlarge", "M60", 1, 16, list},        {"g3.8xlarge", "M60", 2, 32, list},
                  {"p3.2xlarge", "V100", 1, 8, list},        {"p3.8xlarge", "V100", 4, 32, list},
                  {"p3.16xlarge", "V100", 8, 64, list},      {"g4dn.xlarge", "T4", 1, 4, list},
                  {"g4dn.2xlarge", "T4", 1, 8, list},        {"g4dn.12xlarge", "T4", 4, 48, list},
                  {"g5.xlarge", "A10G", 1, 4, list},         {"g5.12xlarge", "A10G", 4, 48, list},
                  {"g6.xlarge", "L4", 1, 4, list},           {"g6e.xlarge", "L40S", 1, 4, list},
                  {"p4d.24xlarge", "A100-40", 8, 96, list},  {"p5.48xlarge", "H100", 8, 192, list},
                  {"a2-highgpu-1g", "A100-40", 1, 12, list}, {"g2-standard-4", "L4", 1, 4, list}}};
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
