// What transformers are made of besides matrices: products of two activations, softmax, layer norms.
#include <algorithm>

#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

Tensor swapped(const Ops& ops, const Tensor& x) {
  return aten(ops, "aten::transpose", "int", x, std::int64_t{-2}, std::int64_t{-1});
}

/// A product of stacks of matrices; a vector is refused where it is known to be one.
Function product_of_activations(bool bfloat16) {
  const auto multiply = [bfloat16](const Ops& ops, const Tensor& a, const Tensor& b) {
    if (!bfloat16) return ops.matmul(a, b);
    return ops.to_float(ops.matmul(ops.to_bfloat16(a), ops.to_bfloat16(b)));
  };
  return {[=](const Ops& ops, auto in) { return multiply(ops, in[0], in[1]); },
          [=](const Ops& ops, const Known& known, std::size_t which) {
            const auto& g = known.gradient;
            return which == 0 ? multiply(ops, g, swapped(ops, known.inputs[1]))
                              : multiply(ops, swapped(ops, known.inputs[0]), g);
          }};
}

/// Before opset 13 all dimensions from the axis on were one.
bool is_flat_softmax(const Builder& builder) { return builder.program().opset < 13; }

}  // namespace

Status make_product(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto* second = Builder::has(node, 1) ? builder.stored(node.inputs[1]) : nullptr;
  const bool first_is_stored = Builder::has(node, 0) && builder.stored(node.inputs[0]) != nullptr;
  if (second != nullptr && second->shape.size() == 2 && !second->floats.empty() && !first_is_stored)
    return make_linear(builder, node, made);
  return make_function(builder, node, 2, product_of_activations(builder.arithmetic().bfloat16), made);
}

/// Gemm in all its forms, of inference; the usual one is a linear layer.
Status make_any_gemm(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const float alpha = node.attribute<float>("alpha", 1);
  const float beta = node.attribute<float>("beta", 1);
  const bool left = node.attribute<std::int64_t>("transA", 0) != 0;
  const bool right = node.attribute<std::int64_t>("transB", 0) != 0;
  const auto stored = [&](std::size_t i) {
    return Builder::has(node, i) ? builder.stored(node.inputs[i]) : nullptr;
  };
  const auto* weight = stored(1);
  const auto* bias = stored(2);
  const bool is_linear = weight != nullptr && weight->shape.size() == 2 && stored(0) == nullptr && !left &&
                         alpha == 1 && beta == 1 && (!Builder::has(node, 2) || bias != nullptr) &&
                         (bias == nullptr || product(bias->shape) == weight->shape[right ? 0 : 1]);
  if (is_linear) return make_linear(builder, node, made);
  const std::size_t inputs = Builder::has(node, 2) ? 3 : 2;
  Function function{[=](const Ops& ops, auto in) {
                      const auto a = left ? swapped(ops, in[0]) : in[0];
                      auto y = ops.matmul(a, right ? swapped(ops, in[1]) : in[1]);
                      if (alpha != 1) y = ops.multiply(y, number(ops, alpha));
                      if (in.size() < 3) return y;
                      return ops.add(y, beta == 1 ? in[2] : ops.multiply(in[2], number(ops, beta)));
                    },
                    {}};
  return make_function(builder, node, inputs, std::move(function), made);
}

Status make_softmax(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const bool flat = is_flat_softmax(builder);
  const auto axis = node.attribute<std::int64_t>("axis", flat ? 1 : -1);
  const bool logarithm = node.op == "LogSoftmax";
  // Of the flat form all behind the axis is one dimension.
  const auto shaped = [=](const Ops& ops, const Tensor& x) {
    const auto rank = x.rank();
    const auto at = from_front(axis, rank);
    if (!flat || at + 1 >= rank) return x;
    Sizes sizes(x.sizes().begin(), x.sizes().begin() + at);
    sizes.push_back(-1);
    return ops.reshape(x, sizes);
  };
  const auto name = logarithm ? "aten::_log_softmax" : "aten::_softmax";
  const auto backward_name = logarithm ? "aten::_log_softmax_backward_data" : "aten::_softmax_backward_data";
  Function function{
      [=](const Ops& ops, auto in) {
        const auto x = shaped(ops, in[0]);
        return ops.reshape(aten(ops, name, "", x, from_front(axis, in[0].rank()), false), in[0].sizes());
      },
      [=](const Ops& ops, const Known& known, std::size_t) {
        const auto dx = aten(ops, backward_name, "", shaped(ops, known.gradient), shaped(ops, known.result),
                             from_front(axis, known.result.rank()), Type{ops.abi().float32()});
        return ops.reshape(dx, known.result.sizes());
      }};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_layer_norm(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (builder.is_read(node.outputs[i])) return not_trained(node, "its statistics are asked for");
  const auto axis = node.attribute<std::int64_t>("axis", -1);
  const double epsilon = node.attribute<float>("epsilon", 1e-5F);
  const auto sizes_of = [axis](const Tensor& x) {
    return Sizes(x.sizes().begin() + from_front(axis, x.rank()), x.sizes().end());
  };
  const auto norm = [=](const Ops& ops, std::span<const Tensor> in) {
    const Tensor none;
    return dispatch<3>(ops.abi(), "aten::native_layer_norm", "", in[0], sizes_of(in[0]), MaybeTensor{in[1]},
                       MaybeTensor{in.size() > 2 ? in[2] : none}, epsilon);
  };
  Function function{[=](const Ops& ops, auto in) { return norm(ops, in)[0]; },
                    // Mean and deviation are computed anew: a small part of the work, and nothing is kept.
                    [=](const Ops& ops, const Known& known, std::size_t which) {
                      const auto [y, mean, deviation] = norm(ops, known.inputs);
                      const Tensor none;
                      const auto& bias = known.inputs.size() > 2 ? known.inputs[2] : none;
                      const Flags wanted{which == 0, which == 1, which == 2};
                      auto gradients =
                          dispatch<3>(ops.abi(), "aten::native_layer_norm_backward", "", known.gradient,
                                      known.inputs[0], sizes_of(known.inputs[0]), mean, deviation,
                                      MaybeTensor{known.inputs[1]}, MaybeTensor{bias}, wanted);
                      return std::move(gradients[which]);
                    }};
  return make_function(builder, node, Builder::has(node, 2) ? 3 : 2, std::move(function), made);
}

}  // namespace neph::engine::torch_plugin
