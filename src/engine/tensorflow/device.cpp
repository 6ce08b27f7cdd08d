#include "engine/tensorflow/device.hpp"

#include "engine/hardware.hpp"
#include "engine/named_place.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

struct Place {
  Device device;
};

}  // namespace

Device processor() {
  return {.name = "CPU", .description = processor_name(), .precisions = {Precision::f32}, .providers = {}};
}

Result<Device> find_device(const std::string& name) {
  const Result<std::vector<Place>> gpus =
      fail(ErrorCode::unsupported,
           "neph runs TensorFlow on CPUs only; --engine onnxruntime and torch run on GPUs");
  NEPH_TRY(auto place, named_place<Place>({{processor()}}, gpus, name, "TensorFlow"));
  return std::move(place.device);
}

}  // namespace neph::engine::tensorflow_plugin
