#include "engine/onnxruntime/device.hpp"

#include "engine/hardware.hpp"
#include "engine/named_place.hpp"
#include "engine/onnxruntime/provider.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

Place processor(const Library& library) {
  return {.device = {.name = "CPU",
                     .description = processor_name(),
                     .precisions = {Precision::f32},
                     .providers = provider_names(library, false)}};
}

Result<std::vector<Place>> gpus(const Library& library) {
  const auto providers = provider_names(library, true);
  if (providers.empty())
    return fail(ErrorCode::unsupported, "{} has no provider for CUDA; package onnxruntime-gpu has",
                library.file.string());
  NEPH_TRY(const auto found, nvidia_gpus());
  std::vector<Place> places;
  for (std::size_t i = 0; i < found.size(); ++i)
    places.push_back({.device = {.name = fmt::format("CUDA:{}", i),
                                 .description = found[i].name,
                                 .precisions = {Precision::f32},
                                 .providers = providers},
                      .gpu = static_cast<int>(i),
                      .tf32 = computes_in_tf32(found[i])});
  return places;
}

}  // namespace

std::vector<Place> find_places(const Library& library) {
  std::vector<Place> places{processor(library)};
  if (auto more = gpus(library))
    for (auto& place : *more) places.push_back(std::move(place));
  return places;
}

Result<Place> find_place(const Library& library, const std::string& name) {
  return named_place<Place>({processor(library)}, gpus(library), name, "ONNX Runtime");
}

}  // namespace neph::engine::onnxruntime_plugin
