// Which layers of a model's file each layer of an engine does the work of.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "net/net.hpp"
#include "profile/as_run.hpp"

namespace neph::profile {

struct Join {
  /// By place among the engine's layers: places among the network's, ascending.
  std::vector<std::vector<std::size_t>> parts;
  /// Likewise: the engine's layer that it is counted with, as each direction of an LSTM with two; mostly
  /// itself.
  std::vector<std::size_t> with;
  std::vector<std::size_t> removed;  ///< the network's layers that are in none
};

/// By names first: engines call a layer as the file calls the node or its output, and one that was made of
/// several by one of them or by all, with marks of their own around it. Then by the tensors that a layer
/// gives
/// (`as_run`, of each that ran; empty: not known): it does the work of the layer that makes them in the file,
/// and of those before that whose tensors are gone. Then by the graph: a convolution or product named after
/// the layer behind it takes the one product before that; what is then left was put into the layer that makes
/// its input, or, of several, into the one of those that runs last. A product that several compute is in all
/// of them together, and in none that only moves its numbers. `ran` is in the order in which the layers run.
Join join(const std::vector<engine::LayerTime>& ran, const net::Network& network,
          const std::vector<LayerAsRun>& as_run = {});

/// Multiplications and additions of these layers. Nothing: not known, or none.
std::optional<double> flop_of(const net::Network& network, const std::vector<std::size_t>& parts);
/// Bytes that they read from others, their weights included, and write for others. Nothing: not known.
std::optional<double> bytes_of(const net::Network& network, const std::vector<std::size_t>& parts);

}  // namespace neph::profile
