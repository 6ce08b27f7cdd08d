// The place that Options::device names, of an engine whose devices are the processor and NVIDIA's GPUs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/names.hpp"
#include "engine/engine.hpp"
#include "engine/hardware.hpp"

namespace neph::engine {

/// "CPU", "CUDA" (the first) or "CUDA:1"; any case. `Place` has a Device as `device`; `gpus` says which GPUs
/// there are, or why none. Errors: not_found, with that reason or the nearest name.
template <class Place>
Result<Place> named_place(std::vector<Place> places, const Result<std::vector<Place>>& gpus,
                          const std::string& name, std::string_view runtime) {
  const auto wanted = device_name_of(name);
  if (gpus) places.insert(places.end(), gpus->begin(), gpus->end());
  std::vector<std::string> names;
  for (auto& place : places) {
    if (place.device.name == wanted) return std::move(place);
    names.push_back(place.device.name);
  }
  if (!gpus && wanted.starts_with("CUDA"))
    return fail(ErrorCode::not_found, "device '{}': {} computes on no GPU here: {}", name, runtime,
                gpus.error().message);
  return unknown_name(ErrorCode::not_found, "device", name, names, std::string(runtime) + " on this machine");
}

}  // namespace neph::engine
