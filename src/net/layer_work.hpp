// What a network asks of a machine for each picture, layer by layer.
#pragma once

#include <vector>

#include "core/result.hpp"

namespace neph::net {

enum class Kind;
struct Network;

/// A layer's share, of one picture where it is not of the weights.
struct LayerWork {
  Kind kind;
  double macs = 0;         ///< multiply-accumulates
  double moved_bytes = 0;  ///< activations read and written
  double weight_bytes = 0;
  double channels = 1, positions = 1;  ///< of the output, where that has channels in the second dimension
  double summands = 1;                 ///< of each output value
};

struct NetworkWork {
  std::vector<LayerWork> layers;  ///< but those that only give a tensor another shape
  double parameters = 0;
  double input_bytes = 0;
  double depth = 0;
};

/// For all of the network: what is unknown is refused, and does not count as 0. Error: unsupported (a file
/// that leaves a part of its work open).
Result<NetworkWork> work_per_picture(const Network& network);

}  // namespace neph::net
