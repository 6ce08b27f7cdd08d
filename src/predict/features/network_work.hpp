// What a named network asks of a machine, layer by layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace neph::predict {

/// A layer's share, of one picture where it is not of the weights.
struct LayerWork {
  enum class Kind { convolution, depthwise, dense, other };
  Kind kind = Kind::other;
  double macs = 0;         ///< multiply-accumulates
  double padded_macs = 0;  ///< the same with output channels and summands filled up to whole tiles
  double moved_bytes = 0;  ///< activations read and written
  double weight_bytes = 0;
  double channels = 1, positions = 1;  ///< of the output
  double summands = 1;                 ///< of each output value
};

/// Of one network at one picture side.
struct NetworkWork {
  std::vector<LayerWork> layers;  ///< but those that only give a tensor another shape
  double macs = 0, depthwise_macs = 0, dense_macs = 0;
  double moved_bytes = 0;
  double parameters = 0;
  double input_bytes = 0;
  double depth = 0;
};

/// A network by its name, however it is written ("ResNet-50", "resnet50"), or by its ONNX file. `variants`: a
/// family whose networks go first ("profet": profet-resnet50 for ResNet50); empty: none. `side` 0: the
/// network's own. Errors: not_found with the nearest name; invalid_argument (it cannot be built with pictures
/// of that side), unsupported (a file that leaves a part of its work open), and those of reading a file.
Result<NetworkWork> network_work(std::string_view name, std::string_view variants, std::int64_t side);

}  // namespace neph::predict
