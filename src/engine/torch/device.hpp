// The devices that an opened libtorch can compute on.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/torch/library.hpp"

namespace neph::engine::torch_plugin {

struct Place {
  Device device;
  std::int32_t type = 0;  ///< libtorch's number of the kind of device
  std::int32_t index = 0;
  bool tf32 = false;  ///< of convolutions in f32
};

/// The CPU, and NVIDIA's GPUs where libtorch has its part for them and the driver is there.
std::vector<Place> find_places(const Library& library);

/// "CPU", "CUDA" (the first) or "CUDA:1"; any case. Errors: not_found, with the reason where there are no
/// GPUs.
Result<Place> find_place(const Library& library, const std::string& name);

}  // namespace neph::engine::torch_plugin
