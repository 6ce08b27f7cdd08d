// The device that TensorFlow computes on here: the CPU.
#pragma once

#include "engine/engine.hpp"

namespace neph::engine::tensorflow_plugin {

Device processor();
/// Errors: not_found.
Result<Device> find_device(const std::string& name);

}  // namespace neph::engine::tensorflow_plugin
