#include "engine/torch/device.hpp"

#include "engine/hardware.hpp"
#include "engine/named_place.hpp"

namespace neph::engine::torch_plugin {
namespace {

Place processor(const Library& library) {
  Place place{.device = {.name = "CPU", .description = processor_name(), .precisions = {Precision::f32}},
              .type = library.abi.device_type_cpu()};
  const auto flags = " " + processor_line("flags") + " ";
  if (flags.find(" avx512_bf16 ") != std::string::npos || flags.find(" amx_bf16 ") != std::string::npos)
    place.device.precisions.push_back(Precision::bf16);
  return place;
}

Result<std::vector<Place>> gpus(const Library& library) {
  if (!library.no_cuda.empty()) return fail(ErrorCode::unsupported, "{}", library.no_cuda);
  NEPH_TRY(const auto found, nvidia_gpus());
  std::vector<Place> places;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Place place{.device = {.name = fmt::format("CUDA:{}", i),
                           .description = found[i].name,
                           .precisions = {Precision::f32}},
                .type = library.abi.device_type_cuda(),
                .index = static_cast<std::int32_t>(i),
                .tf32 = computes_in_tf32(found[i])};
    if (found[i].compute_capability_major >= 8) place.device.precisions.push_back(Precision::bf16);
    places.push_back(std::move(place));
  }
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
  return named_place<Place>({processor(library)}, gpus(library), name, "torch");
}

}  // namespace neph::engine::torch_plugin
