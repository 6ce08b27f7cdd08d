// What an engine made of the model, where it shows that: of each of its layers what it does and which tensors
// of the model's file it gives.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "net/net.hpp"

namespace neph::profile {

struct LayerAsRun {
  net::Kind kind = net::Kind::unknown;
  std::vector<std::string> tensors;  ///< that it gives, by their names in the file
  bool only_moves = false;           ///< it brings a tensor into another order, and computes nothing
};

/// Of each layer that ran, by its name; of one that is not in the engine's model nothing is known.
std::vector<LayerAsRun> layers_as_run(const std::vector<engine::LayerTime>& ran, const net::Network& as_run);

}  // namespace neph::profile
