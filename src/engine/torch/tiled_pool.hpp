// MaxPool with windows that lie side by side, as 2 x 2 in steps of 2, on the CPU: in one pass over pictures
// with their channels last, and with one byte for the place of each maximum where libtorch keeps eight.
#pragma once

#include "engine/torch/window.hpp"

namespace neph::engine::torch_plugin {

/// Whether it is such a pooling.
bool is_tiled(const Ops& ops, const Window& window);

struct Pooled {
  Tensor result;
  Tensor places;  ///< of each maximum in its window, a byte each
};
/// x: [n, c, h, w] in channels_last order. The first of equal elements is the maximum, and what is no number
/// is one.
Pooled tiled_max_pool(const Ops& ops, const Tensor& x, const Window& window);
Tensor tiled_max_pool_backward(const Ops& ops, const Tensor& gradient, const Tensor& places,
                               std::span<const std::int64_t> sizes, const Window& window);

}  // namespace neph::engine::torch_plugin
