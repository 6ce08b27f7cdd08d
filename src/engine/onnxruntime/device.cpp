#include "engine/onnxruntime/device.hpp"

#include <algorithm>

#include "engine/hardware.hpp"
#include "engine/named_place.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

constexpr std::string_view cuda_provider = "CUDAExecutionProvider";

Place processor() {
  return {.device = {.name = "CPU", .description = processor_name(), .precisions = {Precision::f32}}};
}

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
  std::vector<Place> places{processor()};
  if (auto more = gpus(library))
    for (auto& place : *more) places.push_back(std::move(place));
  return places;
}

Result<Place> find_place(const Library& library, const std::string& name) {
  return named_place<Place>({processor()}, gpus(library), name, "ONNX Runtime");
}

}  // namespace neph::engine::onnxruntime_plugin
