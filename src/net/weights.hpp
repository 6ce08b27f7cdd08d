// Seeded weights that let activations stay finite and different through any depth, without any training.
//
// - Filters and matrices: uniform with the variance 2 / fan-in (He et al., "Delving Deep into Rectifiers",
//   ICCV 2015), which keeps the variance from layer to layer behind ReLU. Uniform, because its numbers come
//   from integers alone and are the same bits on every machine; a normal deviate depends on the C library's
//   logarithm.
// - Each filter and each row of a matrix is centred, so that its weights sum to 0 (Qiao et al., "Weight
//   Standardization", 2019; Brock, De, Smith, "Characterizing Signal Propagation to Close the Performance Gap
//   in Unnormalized ResNets", ICLR 2021). Activations behind ReLU are positive, and that common part grows
//   with depth until all pictures look alike to a plain He network: a ResNet-18 of that kind gave one class
//   to 45 of 64 photographs and knew 4 classes in all. A centred filter does not see what is common to its
//   inputs, so what differs between pictures survives: the same 64 and 64 more fell into 59 classes.
// - Batch norms: scale 1, shift 0, mean 0, variance 1.
// - The last batch norm, or filters, of each residual branch are scaled down (kBranchScale), as otherwise
// each
//   block would double the variance: 2^50 in ResNet-152. Training begins from there too: Goyal et al.,
//   "Accurate, Large Minibatch SGD", 2017, set that scale to 0.
// - Gates of recurrent layers: half that variance, 1 / fan-in, as sigmoid and tanh have a slope of 1 at most
// and
//   a state must not grow from step to step. Their biases are 0.
// - What defines a layer (bounds of Clip, the ratio of Dropout, axes, shapes) is not drawn: Weight::numbers.
#pragma once

#include <vector>

#include "net/net.hpp"

namespace neph::net {

/// Elements of `layer.weights[index]`, which has no numbers, of a layer that build made. `ends_branch`: it is
/// the last layer of a residual branch.
std::vector<float> draw_weight(const Layer& layer, std::size_t index, bool ends_branch, std::uint64_t seed);

}  // namespace neph::net
