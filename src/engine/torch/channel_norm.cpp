// Norms over channels or pictures: LRN (Krizhevsky et al., "ImageNet Classification with Deep Convolutional
// Neural Networks", NIPS 2012), InstanceNormalization, GroupNormalization.
#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

struct Response {
  std::int64_t size = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double bias = 1;
};

/// Of each channel the sum over those from `before` channels before it to `after` behind it.
Tensor sum_of_neighbours(const Ops& ops, const Tensor& x, std::int64_t before, std::int64_t after) {
  const auto channels = x.size(1);
  Sizes sizes(x.sizes().begin(), x.sizes().end());
  sizes[1] += before + after;
  const auto padded = ops.filled(sizes, usual_order(sizes), 0);
  ops.copy(ops.narrow(padded, 1, before, channels), x);
  auto sum = ops.narrow(padded, 1, 0, channels);
  for (std::int64_t i = 1; i <= before + after; ++i) sum = ops.add(sum, ops.narrow(padded, 1, i, channels));
  return sum;
}

Tensor power(const Ops& ops, const Tensor& x, double exponent) {
  return aten(ops, "aten::pow", "Tensor_Tensor", x, number(ops, exponent));
}

Function response_norm(const Response& given) {
  const auto before = (given.size - 1) / 2;
  const auto after = given.size - 1 - before;
  const auto share = given.alpha / static_cast<double>(given.size);
  const auto square = [=](const Ops& ops, const Tensor& x) {
    const auto sum = sum_of_neighbours(ops, ops.multiply(x, x), before, after);
    return ops.add(ops.multiply(sum, number(ops, share)), number(ops, given.bias));
  };
  return {[=](const Ops& ops, auto in) {
            return ops.multiply(in[0], power(ops, square(ops, in[0]), -given.beta));
          },
          [=](const Ops& ops, const Known& known, std::size_t) {
            const auto& x = known.inputs[0];
            const auto s = square(ops, x);
            const auto own = ops.multiply(known.gradient, power(ops, s, -given.beta));
            const auto spread = ops.multiply(ops.multiply(known.gradient, x), power(ops, s, -given.beta - 1));
            const auto others = ops.multiply(x, sum_of_neighbours(ops, spread, after, before));
            return ops.subtract(own, ops.multiply(others, number(ops, 2 * share * given.beta)));
          }};
}

}  // namespace

Status make_response_norm(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  Response given;
  given.size = node.attribute<std::int64_t>("size", 5);
  given.alpha = node.attribute<float>("alpha", 1e-4F);
  given.beta = node.attribute<float>("beta", 0.75F);
  given.bias = node.attribute<float>("bias", 1);
  if (given.size < 1) return not_trained(node, "its size is below 1");
  return make_function(builder, node, 1, response_norm(given), made);
}

/// Of inference. Each picture's channels, or groups of them, by their own mean and deviation.
Status make_group_norm(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const double epsilon = node.attribute<float>("epsilon", 1e-5F);
  const auto given_groups = node.attribute<std::int64_t>("num_groups", 0);
  if (node.op == "GroupNormalization" && builder.program().opset < 21)
    return not_trained(node, "its scales are of groups, as before opset 21");
  Function function{[=](const Ops& ops, auto in) {
                      const auto& x = in[0];
                      const auto groups = given_groups > 0 ? given_groups : x.size(1);
                      const auto pixels = x.count() / (x.size(0) * x.size(1));
                      const auto flat = ops.ordered(x, row_major(x.sizes()));
                      return dispatch<3>(ops.abi(), "aten::native_group_norm", "", flat, MaybeTensor{in[1]},
                                         MaybeTensor{in[2]}, x.size(0), x.size(1), pixels, groups,
                                         epsilon)[0];
                    },
                    {}};
  return make_function(builder, node, 3, std::move(function), made);
}

}  // namespace neph::engine::torch_plugin
