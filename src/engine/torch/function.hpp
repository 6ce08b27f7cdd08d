// Layers that are told by two functions: what they compute, and what the gradients of their inputs are.
#pragma once

#include <functional>

#include "engine/torch/dispatch.hpp"
#include "engine/torch/operand.hpp"

namespace neph::engine::torch_plugin {

/// What a gradient is computed from.
struct Known {
  Tensor gradient;  ///< of the result, dense
  std::vector<Tensor> inputs;
  Tensor result;
};

struct Function {
  std::function<Tensor(const Ops&, std::span<const Tensor>)> forward;
  /// The gradient of input `which`; where it is larger than the input, it is summed to its sizes. Null: there
  /// is none, and training refuses the operator.
  std::function<Tensor(const Ops&, const Known&, std::size_t which)> backward;
};

/// The layer of a function of the node's inputs from 0 to `inputs`.
Status make_function(Builder& builder, const net::Node& node, std::size_t inputs, Function function,
                     std::unique_ptr<Layer>& made);

/// A tensor of a single float.
Tensor number(const Ops& ops, double value);
/// One of a single 64-bit integer, up to 2^53.
Tensor integer(const Ops& ops, std::int64_t value);
/// `axis` of ONNX, which counts from the end where it is below 0.
std::int64_t from_front(std::int64_t axis, std::int64_t rank);
inline bool is_float(const Ops& ops, const Tensor& x) { return x.dtype() == ops.abi().float32(); }

}  // namespace neph::engine::torch_plugin
