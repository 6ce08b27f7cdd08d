// Of inference: what changes the sides of pictures besides pooling: Resize, DepthToSpace, SpaceToDepth, and
// convolutions of other forms than training's.
#include <algorithm>
#include <cmath>

#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"
#include "engine/torch/window.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// The sides that a Resize makes, and its factors where those are given.
struct Target {
  Sizes sides;
  std::vector<double> factors;
};

Result<Target> target_of(const Builder& builder, const net::Node& node) {
  const auto input = builder.sizes(node, 0);
  if (input.size() < 3 || input.size() > 4) return not_trained(node, "its input is no row or picture");
  const std::size_t scales_at = node.op == "Upsample" || node.inputs.size() == 2 ? 1 : 2;
  Target target;
  if (Builder::has(node, 3)) {
    NEPH_TRY(const auto sizes, builder.integers(node, 3));
    if (sizes.size() != input.size()) return not_trained(node, "its sizes are of another rank");
    target.sides.assign(sizes.begin() + 2, sizes.end());
    return target;
  }
  const auto* stored = Builder::has(node, scales_at) ? builder.stored(node.inputs[scales_at]) : nullptr;
  const auto scales = stored != nullptr ? stored->floats : node.attribute<std::vector<float>>("scales", {});
  if (scales.size() != input.size()) return not_trained(node, "its scales are computed");
  for (std::size_t i = 2; i < scales.size(); ++i) {
    target.factors.push_back(scales[i]);
    target.sides.push_back(
        static_cast<std::int64_t>(std::floor(static_cast<double>(input[i]) * target.factors.back())));
  }
  return target;
}

bool enlarges_evenly(const Target& target, const Sizes& input) {
  for (std::size_t i = 0; i < target.sides.size(); ++i)
    if (target.sides[i] % input[i + 2] != 0) return false;
  return true;
}

/// What libtorch's interpolations do not have.
bool is_special(const net::Node& node, const Target& target) {
  const auto places = node.attribute<std::string>("coordinate_transformation_mode", "half_pixel");
  const bool one_pixel = std::ranges::count(target.sides, 1) > 0;
  // libtorch goes from corner to corner of the sides that come out, ONNX of those by the factors.
  return node.attribute<std::int64_t>("antialias", 0) != 0 || node.attributes.contains("axes") ||
         node.attribute<std::int64_t>("exclude_outside", 0) != 0 ||
         node.attributes.contains("keep_aspect_ratio_policy") ||
         (places == "pytorch_half_pixel" && one_pixel) ||
         (places == "align_corners" && !target.factors.empty());
}

template <class... More>
Tensor resized(const Ops& ops, const std::string& name, const Tensor& x, const Target& target, More... more) {
  const auto factor = [&](std::size_t i) { return Given<double>{target.factors[i]}; };
  if (target.sides.size() == 1)
    return target.factors.empty() ? aten(ops, name.c_str(), "", x, target.sides, more..., None{})
                                  : aten(ops, name.c_str(), "", x, target.sides, more..., factor(0));
  return target.factors.empty() ? aten(ops, name.c_str(), "", x, target.sides, more..., None{}, None{})
                                : aten(ops, name.c_str(), "", x, target.sides, more..., factor(0), factor(1));
}

struct General {
  Sizes stride, padding, dilation, output_padding;
  std::int64_t groups = 1;
  bool transposed = false;
};

}  // namespace

Status make_resize(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto target, target_of(builder, node));
  const auto mode = node.attribute<std::string>("mode", "nearest");
  const bool old = node.op == "Upsample" || builder.program().opset < 11;
  const auto places =
      node.attribute<std::string>("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
  const auto rounding = node.attribute<std::string>("nearest_mode", old ? "floor" : "round_prefer_floor");
  const bool two = target.sides.size() == 2;
  if (is_special(node, target)) return not_trained(node, "its form of interpolation");
  if (mode == "nearest") {
    const bool floor = places == "asymmetric" && rounding == "floor";
    // In between libtorch takes the upper one; nothing is in between where pictures are enlarged evenly.
    const bool exact = places == "half_pixel" && rounding.starts_with("round_prefer") &&
                       (rounding.ends_with("ceil") || enlarges_evenly(target, builder.sizes(node, 0)));
    if (!floor && !exact) return not_trained(node, "its nearest points by " + places + ", " + rounding);
    const std::string name = std::string("aten::") +
                             (exact ? "_upsample_nearest_exact" : "upsample_nearest") + (two ? "2d" : "1d");
    Function function{[=](const Ops& ops, auto in) { return resized(ops, name, in[0], target); }, {}};
    return make_function(builder, node, 1, std::move(function), made);
  }
  const bool corners = places == "align_corners";
  if (mode != "linear" || (!corners && places != "half_pixel" && places != "pytorch_half_pixel"))
    return not_trained(node, "its mode is " + mode + ", " + places);
  const std::string name = two ? "aten::upsample_bilinear2d" : "aten::upsample_linear1d";
  Function function{[=](const Ops& ops, auto in) { return resized(ops, name, in[0], target, corners); }, {}};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_depth_to_space(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto block = node.attribute<std::int64_t>("blocksize", 1);
  const bool deeper = node.op == "SpaceToDepth";
  const bool column = node.attribute<std::string>("mode", "DCR") == "CRD";
  Function function{
      [=](const Ops& ops, auto in) {
        const auto& x = in[0];
        const auto n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3), b = block;
        if (deeper) {
          const auto parts = ops.reshape(x, Sizes{n, c, h / b, b, w / b, b});
          return ops.reshape(ops.permute(parts, Sizes{0, 3, 5, 1, 2, 4}), Sizes{n, c * b * b, h / b, w / b});
        }
        const auto less = c / (b * b);
        const auto parts = ops.reshape(x, column ? Sizes{n, less, b, b, h, w} : Sizes{n, b, b, less, h, w});
        const auto order = column ? Sizes{0, 1, 4, 2, 5, 3} : Sizes{0, 3, 4, 1, 5, 2};
        return ops.reshape(ops.permute(parts, order), Sizes{n, less, h * b, w * b});
      },
      {}};
  return make_function(builder, node, 1, std::move(function), made);
}

/// Convolutions of one or three dimensions, with computed weights, or transposed.
Status make_general_convolution(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto weight = builder.sizes(node, 1);
  if (weight.size() < 3) return not_trained(node, "its weight has fewer than three dimensions");
  const auto axes = weight.size() - 2;
  General general{.stride = node.attribute<Sizes>("strides", Sizes(axes, 1)),
                  .padding = {},
                  .dilation = node.attribute<Sizes>("dilations", Sizes(axes, 1)),
                  .output_padding = node.attribute<Sizes>("output_padding", Sizes(axes, 0)),
                  .groups = node.attribute<std::int64_t>("group", 1),
                  .transposed = node.op == "ConvTranspose"};
  const auto pads = node.attribute<Sizes>("pads", Sizes(2 * axes, 0));
  if (pads.size() != 2 * axes || node.attribute<std::string>("auto_pad", "NOTSET").starts_with("SAME") ||
      node.attributes.contains("output_shape"))
    return not_trained(node, "its padding is told otherwise than by pads");
  general.padding.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  for (std::size_t i = 0; i < axes; ++i)
    if (pads[i] != pads[i + axes]) return not_trained(node, "its padding is not the same at both ends");
  Function function{[general](const Ops& ops, auto in) {
                      const Tensor none;
                      return aten(ops, "aten::convolution", "", in[0], in[1],
                                  MaybeTensor{in.size() > 2 ? in[2] : none}, general.stride, general.padding,
                                  general.dilation, general.transposed, general.output_padding,
                                  general.groups);
                    },
                    {}};
  return make_function(builder, node, Builder::has(node, 2) ? 3 : 2, std::move(function), made);
}

/// Where padding is uneven and does not count: the mean of what is there, by the mean of how much is.
Status make_any_average(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(auto window, read_window(node, node.attribute<Sizes>("kernel_shape", {})));
  if (window.is_even() || window.count_padding || window.ceil || window.dilation != Sizes{1, 1})
    return make_average_pool(builder, node, made);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    window.extra[axis] += window.padding[axis];
    window.extra[axis + 2] += window.padding[axis];
    window.padding[axis] = 0;
  }
  window.count_padding = true;
  Function function{[window](const Ops& ops, auto in) {
                      const auto& x = in[0];
                      const auto ones = ops.filled(Sizes{1, 1, x.size(2), x.size(3)},
                                                   Sizes{x.size(2) * x.size(3), 1, x.size(3), 1}, 1);
                      const auto there = ops.average_pool(window.around(ops, ones, 0), window);
                      const auto mean = ops.average_pool(window.around(ops, x, 0), window);
                      return aten(ops, "aten::div", "Tensor", mean, there);
                    },
                    {}};
  return make_function(builder, node, 1, std::move(function), made);
}

/// Pooling in one or three dimensions; that in two is training's.
Status make_any_pool(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const bool is_max = node.op == "MaxPool";
  const auto kernel = node.attribute<Sizes>("kernel_shape", {});
  const auto axes = kernel.size();
  if (axes == 2) return is_max ? make_max_pool(builder, node, made) : make_any_average(builder, node, made);
  const auto stride = node.attribute<Sizes>("strides", Sizes(axes, 1));
  const auto dilation = node.attribute<Sizes>("dilations", Sizes(axes, 1));
  const auto pads = node.attribute<Sizes>("pads", Sizes(2 * axes, 0));
  const bool ceil = node.attribute<std::int64_t>("ceil_mode", 0) != 0;
  const bool counts = node.attribute<std::int64_t>("count_include_pad", 0) != 0;
  if ((axes != 1 && axes != 3) || pads.size() != 2 * axes || stride.size() != axes || dilation.size() != axes)
    return not_trained(node, "its window has other than one to three dimensions");
  const Sizes padding(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  if (!std::equal(padding.begin(), padding.end(), pads.begin() + static_cast<std::ptrdiff_t>(axes)))
    return not_trained(node, "its padding is not the same at both ends");
  if (!is_max && dilation != Sizes(axes, 1)) return not_trained(node, "dilations");
  if (node.outputs.size() > 1 && !node.outputs[1].empty())
    return not_trained(node, "its indices are asked for");
  const bool row = axes == 1;
  Function function{[=](const Ops& ops, auto in) {
                      const auto& x = in[0];
                      if (is_max)
                        return aten(ops, row ? "aten::max_pool1d" : "aten::max_pool3d", "", x, kernel, stride,
                                    padding, dilation, ceil);
                      if (row)
                        return aten(ops, "aten::avg_pool1d", "", x, kernel, stride, padding, ceil, counts);
                      return aten(ops, "aten::avg_pool3d", "", x, kernel, stride, padding, ceil, counts,
                                  None{});
                    },
                    {}};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_any_convolution(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto* weight = Builder::has(node, 1) ? builder.stored(node.inputs[1]) : nullptr;
  const auto* bias = Builder::has(node, 2) ? builder.stored(node.inputs[2]) : nullptr;
  const bool usual = weight != nullptr && weight->shape.size() == 4 && node.op == "Conv" &&
                     (bias != nullptr || !Builder::has(node, 2));
  return usual ? make_convolution(builder, node, made) : make_general_convolution(builder, node, made);
}

}  // namespace neph::engine::torch_plugin
