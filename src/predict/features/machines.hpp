// What machines can do by their data sheets: what is known of one that has not been measured much.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::predict {

/// One accelerator as a program sees it: of a board with two of them, one.
struct Device {
  std::string name;
  double fp32_tflops = 0;  ///< peak, without tensor cores
  double fp16_tflops = 0;  ///< peak, dense, with tensor cores where there are some
  double bandwidth_gb_s = 0;
  double memory_gb = 0;
  std::string source;
};
template <class Visit, Describes<Device> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the device");
  v("fp32_tflops", s.fp32_tflops, "peak of single precision in TFLOP/s, without tensor cores", at_least(0));
  v("fp16_tflops", s.fp16_tflops, "peak of half precision in TFLOP/s, dense", at_least(0));
  v("bandwidth_gb_s", s.bandwidth_gb_s, "of its memory in GB/s", at_least(0));
  v("memory_gb", s.memory_gb, "size of its memory in GB", at_least(0));
  v("source", s.source, "where these figures are from");
}

struct Machine {
  std::string name;
  std::string device;
  std::int64_t devices = 1;
  std::int64_t cores = 0;  ///< virtual ones, as the provider counts
  std::string source;
};
template <class Visit, Describes<Machine> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "as the provider calls it");
  v("device", s.device, "its accelerator");
  v("devices", s.devices, "how many of them", at_least(0));
  v("cores", s.cores, "virtual cores", at_least(0));
  v("source", s.source, "where these figures are from");
}

struct MachineTable {
  std::vector<Device> device;
  std::vector<Machine> machine;

  /// The device of a machine or a device of that name, whatever the case; nothing: not known.
  std::optional<Device> device_of(std::string_view name) const;
};
template <class Visit, Describes<MachineTable> Self>
void describe(Visit&& v, Self& s) {
  v("device", s.device, "accelerators");
  v("machine", s.machine, "machines that have them");
}

/// What is built in.
const MachineTable& known_machines();
/// The same with a user's own, which go first.
MachineTable known_machines_and(const MachineTable& own);
/// A TOML file of [[device]] and [[machine]]. Errors: those of reading a file and of TOML (with the line);
/// invalid_argument (an unknown key, an entry without a name, a device whose peak or bandwidth is not above
/// 0, a machine whose device nobody knows).
Result<MachineTable> read_machines(const std::filesystem::path& file);

}  // namespace neph::predict
