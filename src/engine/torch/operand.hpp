// What a layer computes with: values of other layers, or parameters of its own.
#pragma once

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {

/// A value, or a parameter of the layer.
struct Operand {
  std::optional<Slot> slot;
  std::size_t parameter = 0;
  bool trained = true;

  const Tensor& of(Pass& pass) const { return slot ? pass.value(*slot) : pass.parameter(parameter).value; }
  bool wants(const Pass& pass) const { return slot ? pass.wants(*slot) : trained; }
  /// Hands on a gradient; that of what was broadcast is summed to `sizes`. `owned`: the tensor is nowhere
  /// else.
  void give(Pass& pass, const Tensor& gradient, std::span<const std::int64_t> sizes, bool owned) const;
};

/// Input `index`: of training a stored tensor is a parameter, which is learnt unless a Constant holds it.
Result<Operand> operand(Builder& builder, const net::Node& node, std::size_t index, Layer& layer);

}  // namespace neph::engine::torch_plugin
