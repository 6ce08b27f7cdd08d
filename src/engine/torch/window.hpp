// The windows of convolutions and poolings as ONNX writes them. libtorch pads both ends of an axis alike:
// what one end has more is put around the picture first.
#pragma once

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {

struct Window : Window2d {
  std::array<std::int64_t, 4> extra{};  ///< padding beyond Window2d's: top, left, bottom, right

  bool is_even() const { return extra == std::array<std::int64_t, 4>{}; }
  /// x with `value` in the extra padding around it; x itself where there is none.
  Tensor around(const Ops& ops, const Tensor& x, double value) const;
  /// A gradient without its part in that padding.
  Tensor inside(const Ops& ops, Tensor gradient) const;
};

/// Of a node whose kernel is known. Errors: unsupported (not two dimensions, an auto_pad that depends on the
/// picture).
Result<Window> read_window(const net::Node& node, Sizes kernel);

}  // namespace neph::engine::torch_plugin
