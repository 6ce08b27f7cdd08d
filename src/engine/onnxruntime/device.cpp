#include "engine/onnxruntime/device.hpp"

#include <algorithm>

#include "core/names.hpp"
#include "engine/hardware.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

constexpr std::string_view cuda_provider = "CUDAExecutionProvider";

Result<std::vector<Place>> gpus(const Library& library) {
  if (std::ranges::find(library.providers, cuda_provider) == library.providers.end())
    return fail(ErrorCode::unsupported, "{} has no provider for CUDA; package onnxruntime-gpu has",
                library.file.string());
  NEPH_TRY(const auto found, nvidia_gpus());
  std::vector<Place> places;
  for (std::size_t i = 0; i < found.size(); ++i)
    places.push_back({.device = {.name = fmt::format("CUDA:{}", i),
                                 .description = found[i].name,
                                 .precisions = {Precision::f32}},
                      .gpu = static_cast<int>(i)});
  return places;
}

}  // namespace

std::vector<Place> find_places(const Library& library) {
  std::vector<Place> places{
      {.device = {.name = "CPU", .description = processor_name(), .precisions = {Precision::f32}}}};
  if (auto more = gpus(library))
    for (auto& place : *more) places.push_back(std::move(place));
  return places;
}

Result<Place> find_place(const Library& library, const std::string& name) {
  const auto wanted = device_name_of(name);
  std::vector<std::string> names;
  for (auto& place : find_places(library)) {
    if (place.device.name == wanted) return place;
    names.push_back(place.device.name);
  }
  if (wanted.starts_with("CUDA"))
    if (const auto none = gpus(library); !none)
      return fail(ErrorCode::not_found, "device '{}': ONNX Runtime computes on no GPU here: {}", name,
                  none.error().message);
  return unknown_name(ErrorCode::not_found, "device", name, names, "ONNX Runtime on this machine");
}

}  // namespace neph::engine::onnxruntime_plugin
