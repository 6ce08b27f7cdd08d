#include "engine/openvino/device.hpp"

#include <algorithm>
#include <fstream>
#include <openvino/op/constant.hpp>
#include <openvino/op/fake_quantize.hpp>
#include <openvino/runtime/properties.hpp>
#include <sstream>

#include "core/names.hpp"

namespace neph::engine {
namespace {

/// What the processor says of itself ("flags" on x86, "Features" on ARM). OpenVINO also lists precisions that
/// it imitates by converting around every operation.
std::vector<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

bool has_any(const std::vector<std::string>& flags, std::initializer_list<const char*> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const char* flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  });
}

bool is_quantised(const ov::Model& model) {
  const auto ops = model.get_ops();
  return std::any_of(ops.begin(), ops.end(), [](const std::shared_ptr<ov::Node>& op) {
    if (ov::is_type<ov::op::v0::FakeQuantize>(op)) return true;
    const auto& type = op->get_output_element_type(0);
    return ov::is_type<ov::op::v0::Constant>(op) && (type == ov::element::i8 || type == ov::element::u8);
  });
}

/// Throws what OpenVINO throws where it does not know the device.
Device describe_device(ov::Core& core, const std::string& name) {
  Device device{.name = name, .description = core.get_property(name, ov::device::full_name)};
  const auto capabilities = core.get_property(name, ov::device::capabilities);
  const auto can = [&](const char* capability) {
    return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
  };
  const bool processor = name == "CPU";
  const auto flags = processor ? processor_flags() : std::vector<std::string>{};
  if (can(ov::device::capability::FP32)) device.precisions.push_back(Precision::f32);
  if (can(ov::device::capability::BF16) &&
      (!processor || has_any(flags, {"avx512_bf16", "amx_bf16", "avx_ne_convert", "bf16"})))
    device.precisions.push_back(Precision::bf16);
  if (can(ov::device::capability::FP16) &&
      (!processor || has_any(flags, {"avx512_fp16", "amx_fp16", "avx_ne_convert", "asimdhp"})))
    device.precisions.push_back(Precision::f16);
  if (can(ov::device::capability::INT8)) device.precisions.push_back(Precision::i8);
  return device;
}

}  // namespace

Result<Device> find_device(ov::Core& core, const std::string& name) {
  try {
    return describe_device(core, name);
  } catch (const std::exception&) {
    const auto names = core.get_available_devices();
    if (names.empty()) return fail(ErrorCode::unavailable, "OpenVINO finds no device to run on here");
    return unknown_name(ErrorCode::not_found, "device", name, names, "OpenVINO on this machine");
  }
}

std::vector<Device> find_devices(ov::Core& core) {
  std::vector<Device> devices;
  for (const auto& name : core.get_available_devices()) devices.push_back(describe_device(core, name));
  return devices;
}

Status check_precision(const Device& device, const ov::Model& model, Precision precision) {
  if (precision == Precision::automatic) return {};
  const auto& native = device.precisions;
  if (std::find(native.begin(), native.end(), precision) == native.end())
    return fail(
        ErrorCode::unsupported,
        "precision {}: {} ({}) does not compute in {} natively; it would only be imitated, slower than f32",
        enum_name(precision), device.name, device.description, enum_name(precision));
  if (precision == Precision::i8 && !is_quantised(model))
    return fail(ErrorCode::unsupported,
                "precision i8: the model is not quantised; quantise it first, or use f32, bf16 or auto");
  return {};
}

}  // namespace neph::engine
