// The devices that OpenVINO can run on here, and the arithmetic each does natively.
#pragma once

#include <openvino/runtime/core.hpp>

#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine {

/// One device, by its name. Errors: not_found, with the nearest known name.
Result<Device> find_device(ov::Core& core, const std::string& name);

/// All of them. Cost: OpenVINO loads each device's library to ask it.
std::vector<Device> find_devices(ov::Core& core);

/// Refuses a precision that the device would only imitate, and i8 for a model that is not quantised: the
/// numbers would come out of other kernels than their label says.
Status check_precision(const Device& device, const ov::Model& model, Precision precision);

}  // namespace neph::engine
