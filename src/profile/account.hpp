// From times and a graph to a profile: figures of layers and kinds. Pure functions.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "net/net.hpp"
#include "profile/as_run.hpp"
#include "record/profile.hpp"

namespace neph::profile {

/// The layers of several repeats, which must be the same ones: the first repeat's where they are not.
struct Times {
  std::vector<engine::LayerTime> layers;    ///< that ran, with their mean times
  std::vector<std::vector<double>> self_s;  ///< of each layer, in each repeat
  bool are_alike = true;                    ///< in all repeats
};
Times times_of(const std::vector<std::vector<engine::LayerTime>>& repeats);

/// What is known of the layers that ran, besides their times.
struct Known {
  const net::Network* network = nullptr;  ///< of the file
  std::vector<LayerAsRun> as_run;         ///< by Times::layers; empty: the engine does not tell
};

/// Fills in layers, kinds, layers_s, joined_share, flop, joined_flop and removed.
void account(const Times& times, const Known& known, Profile& profile);

}  // namespace neph::profile
