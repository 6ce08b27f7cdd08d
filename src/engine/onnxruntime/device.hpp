// The devices that an opened ONNX Runtime can compute on, by its execution providers.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "engine/onnxruntime/library.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Place {
  Device device;
  int gpu = -1;  ///< its number; -1: the processor
  bool tf32 = false;
};

/// The CPU, and NVIDIA's GPUs where the library has their provider and the driver is there.
std::vector<Place> find_places(const Library& library);

/// "CPU", "CUDA" (the first) or "CUDA:1"; any case. Errors: not_found, with the reason where there are no
/// GPUs.
Result<Place> find_place(const Library& library, const std::string& name);

}  // namespace neph::engine::onnxruntime_plugin
