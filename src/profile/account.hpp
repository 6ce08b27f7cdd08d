// From times and a graph to a profile: figures of layers and kinds. Pure functions.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "net/net.hpp"
#include "record/profile.hpp"

namespace neph::profile {

/// The layers of several repeats, which must be the same ones: the first repeat's where they are not.
struct Times {
  std::vector<engine::LayerTime> layers;    ///< that ran, with their mean times
  std::vector<std::vector<double>> self_s;  ///< of each layer, in each repeat
  bool are_alike = true;                    ///< in all repeats
};
Times times_of(const std::vector<std::vector<engine::LayerTime>>& repeats);

/// Fills in layers, kinds, layers_s, joined_share, flop, joined_flop and removed. `network`: null where the
/// file's layers are not known.
void account(const Times& times, const net::Network* network, Profile& profile);

}  // namespace neph::profile
