// The time of each layer by OpenVINO's own counters, with the names that the layers have in the model's file.
#pragma once

#include <cstdint>
#include <mutex>
#include <openvino/core/model.hpp>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/infer_request.hpp>
#include <vector>

#include "engine/engine.hpp"

namespace neph::engine {

/// Before a model is compiled: its operations carry their names along, as transformations give those that
/// they make names of their own ("Multiply_7670" for a convolution with its batch norm). Where the
/// file names all of its tensors (ONNX), what one node of it became has that node's name.
void keep_names(ov::Model& model, bool are_tensors_named);

/// Of one compiled with ov::enable_profiling. OpenVINO's counters of a CPU are averages over all inferences,
/// in whole microseconds, rounded down in each; those of a GPU are of the last inference.
class LayerCounters {
 public:
  /// After an inference of `request`. Takes what the first one took, in which memory is made, out of the
  /// account. Threads: any.
  void count(ov::InferRequest& request);
  /// Names of one that stands for several of the file's layers have commas between. Throws ov::Exception.
  std::vector<LayerTime> layers(ov::CompiledModel& compiled);

 private:
  std::mutex mutex_;  ///< guards the rest
  std::int64_t inferences_ = 0;
  std::vector<ov::ProfilingInfo> first_;
};

}  // namespace neph::engine
