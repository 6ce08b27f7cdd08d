// Convolution and pooling: a window moves over the spatial axes (those after batch and channels).
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kLargestSetting = 1 << 24;  // of a kernel, stride, dilation or pad that anybody means

/// Values of an attribute with one number per spatial axis, `absent` where it is not there.
Result<Integers> per_axis(const Call& call, std::string_view name, std::size_t axes, std::int64_t absent,
                          std::int64_t least) {
  Integers values = call.integers(name);
  if (values.empty()) values.assign(axes, absent);
  if (values.size() != axes)
    return fail(ErrorCode::corrupt, "{} has {} numbers, {} are needed", name, values.size(), axes);
  for (const auto value : values)
    if (value < least || value > kLargestSetting)
      return fail(ErrorCode::corrupt, "{} of {} is not possible", name, value);
  return values;
}

/// Pads of auto_pad SAME: outputs = ceil(input / stride), the odd element at the end (UPPER) or the beginning
/// (LOWER).
void pad_to_same(const Shape& input, bool upper, Window& window) {
  const std::size_t axes = window.kernel.size();
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = input[i + 2];
    if (size == kUnknown) continue;
    const auto reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const auto rest = size % window.strides[i] == 0 ? window.strides[i] : size % window.strides[i];
    const auto total = std::max<std::int64_t>(0, reach - rest);
    window.pads[i] = upper ? total / 2 : total - total / 2;
    window.pads[axes + i] = total - window.pads[i];
  }
}

Result<Window> window_of(const Call& call, const Shape& input, const Integers& kernel) {
  const std::size_t axes = kernel.size();
  Window window{.kernel = kernel};
  for (const auto size : kernel)
    if (size < 1 || size > kLargestSetting)
      return fail(ErrorCode::corrupt, "a kernel size of {} is not possible", size);
  NEPH_TRY(window.strides, per_axis(call, "strides", axes, 1, 1));
  NEPH_TRY(window.dilations, per_axis(call, "dilations", axes, 1, 1));
  NEPH_TRY(window.pads, per_axis(call, "pads", 2 * axes, 0, 0));
  const auto automatic = call.text("auto_pad");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER")
    pad_to_same(input, automatic == "SAME_UPPER", window);
  return window;
}

/// Positions of the window along each spatial axis (ONNX Conv and MaxPool: floor, or ceil if asked).
Result<Shape> positions(const Shape& input, const Window& window, bool ceil_mode) {
  const std::size_t axes = window.kernel.size();
  Shape sizes;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = input[i + 2];
    if (size == kUnknown) {
      sizes.push_back(kUnknown);
      continue;
    }
    const auto reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    NEPH_TRY(const auto padded, checked_sum(size, window.pads[i] + window.pads[axes + i]));
    const auto steps = padded - reach;
    if (steps < 0)
      return fail(ErrorCode::corrupt, "a window of {} does not fit into {} elements: the image is too small",
                  reach, padded);
    auto count = steps / window.strides[i] + 1;
    // A last window that begins beyond input and left pad would see padding only: it is dropped (ONNX,
    // PyTorch).
    if (ceil_mode && steps % window.strides[i] != 0 && count * window.strides[i] < size + window.pads[i])
      ++count;
    sizes.push_back(count);
  }
  return sizes;
}

/// Of the filters [M, C / group, k...], those multiplied for one output element: kernel x (channels of its
/// group).
Result<std::int64_t> filter_size(const Shape& weight) {
  return element_count(Shape(weight.begin() + 1, weight.end()));
}

Integers spatial(const Shape& shape) { return {shape.begin() + 2, shape.end()}; }

Result<std::int64_t> groups_of(const Call& call) {
  const auto groups = call.integer("group", 1);
  if (groups < 1) return fail(ErrorCode::corrupt, "group of {} is not possible", groups);
  return groups;
}

/// Conv and its quantised forms; `weight` is the index of the input that holds the filters [M, C / group,
/// k...].
template <std::size_t weight_input>
Result<Effect> convolution(const Call& call) {
  const auto& weight = call.shape(weight_input);
  if (!is_known(weight)) return Effect{.macs = std::nullopt};
  const Shape input = call.shape(0).value_or(Shape(weight->size(), kUnknown));
  if (weight->size() < 3 || input.size() != weight->size())
    return fail(ErrorCode::corrupt, "input {} does not go with filters {}", to_string(input),
                to_string(*weight));
  NEPH_TRY(const auto groups, groups_of(call));
  NEPH_TRY(const auto channels, checked_product((*weight)[1], groups));
  if (input[1] != kUnknown && input[1] != channels)
    return fail(ErrorCode::corrupt, "input has {} channels, the filters take {}", input[1], channels);
  Effect effect{.macs = std::nullopt};
  NEPH_TRY(effect.window, window_of(call, input, spatial(*weight)));
  effect.window->groups = groups;
  NEPH_TRY(const auto sizes, positions(input, *effect.window, false));
  Shape output{input[0], (*weight)[0]};
  output.insert(output.end(), sizes.begin(), sizes.end());
  NEPH_TRY(effect.macs_per_output, filter_size(*weight));
  effect.outputs = {{.shape = std::move(output), .type = call.input(0).type}};
  if (groups > 1 && (*weight)[1] == 1) effect.kind = Kind::depthwise;
  return effect;
}

/// ConvInteger: sums of 8-bit products.
Result<Effect> integer_convolution(const Call& call) {
  auto effect = convolution<1>(call);
  if (effect) effect->outputs[0].type = kInt32;
  return effect;
}

/// QLinearConv: what its result's zero point is.
Result<Effect> quantized_convolution(const Call& call) {
  auto effect = convolution<3>(call);
  if (effect) effect->outputs[0].type = call.input(7).type;
  return effect;
}

/// ConvTranspose: filters [C, M / group, k...]; each input element is multiplied with kernel x (M / group).
Result<Effect> transposed_convolution(const Call& call) {
  const auto& input = call.shape(0);
  const auto& weight = call.shape(1);
  if (!input || !is_known(weight)) return Effect{.macs = std::nullopt};
  if (weight->size() < 3 || input->size() != weight->size())
    return fail(ErrorCode::corrupt, "input {} does not go with filters {}", to_string(*input),
                to_string(*weight));
  NEPH_TRY(const auto groups, groups_of(call));
  Effect effect;
  NEPH_TRY(effect.window, window_of(call, *input, spatial(*weight)));
  Window& window = *effect.window;
  window.groups = groups;
  const std::size_t axes = window.kernel.size();
  NEPH_TRY(const auto extra, per_axis(call, "output_padding", axes, 0, 0));
  const auto stated = call.integers("output_shape");
  NEPH_TRY(const auto filters, checked_product((*weight)[1], groups));
  Shape output{(*input)[0], filters};
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = (*input)[i + 2];
    if (stated.size() == axes) {
      if (stated[i] < 0) return fail(ErrorCode::corrupt, "output_shape of {} is not possible", stated[i]);
      output.push_back(stated[i]);
    } else if (size == kUnknown || call.text("auto_pad").starts_with("SAME")) {
      output.push_back(size == kUnknown ? kUnknown : size * window.strides[i]);
    } else {
      NEPH_TRY(const auto steps, checked_product(std::max<std::int64_t>(size - 1, 0), window.strides[i]));
      const auto grown = steps + extra[i] + (window.kernel[i] - 1) * window.dilations[i] + 1 -
                         window.pads[i] - window.pads[axes + i];
      if (grown < 0) return fail(ErrorCode::corrupt, "the pads take more than there is");
      output.push_back(grown);
    }
  }
  effect.macs.reset();
  if (is_known(input)) {
    NEPH_TRY(const auto elements, element_count(*input));
    NEPH_TRY(const auto each, filter_size(*weight));
    NEPH_TRY(effect.macs, checked_product(elements, each));
  }
  effect.outputs = {{.shape = std::move(output), .type = call.input(0).type}};
  return effect;
}

Result<Effect> pool(const Call& call) {
  const auto& input = call.shape(0);
  if (!input) return Effect{};
  const auto kernel = call.integers("kernel_shape");
  if (kernel.empty() || input->size() != kernel.size() + 2)
    return fail(ErrorCode::corrupt, "a window of {} axes does not go with input {}", kernel.size(),
                to_string(*input));
  Effect effect;
  NEPH_TRY(effect.window, window_of(call, *input, kernel));
  NEPH_TRY(const auto sizes, positions(*input, *effect.window, call.integer("ceil_mode", 0) != 0));
  Shape output{(*input)[0], (*input)[1]};
  output.insert(output.end(), sizes.begin(), sizes.end());
  effect.outputs = {{.shape = output, .type = call.input(0).type}};
  if (call.output_count() > 1) effect.outputs.push_back({.shape = std::move(output), .type = kInt64});
  return effect;
}

/// MaxUnpool: as large as what a MaxPool with this window made its input of, if no size is stated.
Result<Effect> unpool(const Call& call) {
  const auto& input = call.shape(0);
  if (!input) return Effect{};
  if (call.has(2)) return made(call.sizes(2), call.input(0).type);
  const auto kernel = call.integers("kernel_shape");
  if (kernel.empty() || input->size() != kernel.size() + 2)
    return fail(ErrorCode::corrupt, "a window of {} axes does not go with input {}", kernel.size(),
                to_string(*input));
  Effect effect;
  NEPH_TRY(effect.window, window_of(call, *input, kernel));
  Shape output = *input;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    auto& size = output[i + 2];
    if (size == kUnknown) continue;
    NEPH_TRY(const auto steps,
             checked_product(std::max<std::int64_t>(size - 1, 0), effect.window->strides[i]));
    size = steps + kernel[i] - effect.window->pads[i] - effect.window->pads[kernel.size() + i];
    if (size < 0) return fail(ErrorCode::corrupt, "the pads take more than there is");
  }
  effect.outputs = {{.shape = std::move(output), .type = call.input(0).type}};
  return effect;
}

Result<Effect> global_pool(const Call& call) {
  const auto& input = call.shape(0);
  if (!input) return Effect{};
  if (input->size() < 2) return fail(ErrorCode::corrupt, "input {} has no channels", to_string(*input));
  Shape output(input->size(), 1);
  output[0] = (*input)[0];
  output[1] = (*input)[1];
  return Effect{.outputs = {{.shape = std::move(output), .type = call.input(0).type}}};
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"Conv", Kind::convolution, convolution<1>},
    Operator{"ConvInteger", Kind::convolution, integer_convolution, 0b10},
    Operator{"QLinearConv", Kind::convolution, quantized_convolution, 0b1'0000'1000},
    Operator{"DeformConv", Kind::convolution, convolution<1>, 0b1010},
    Operator{"ConvTranspose", Kind::convolution, transposed_convolution},
    Operator{"MaxPool", Kind::pooling, pool, kNone},
    Operator{"AveragePool", Kind::pooling, pool, kNone},
    Operator{"LpPool", Kind::pooling, pool, kNone},
    Operator{"MaxUnpool", Kind::pooling, unpool, kNone},
    Operator{"GlobalAveragePool", Kind::pooling, global_pool, kNone},
    Operator{"GlobalMaxPool", Kind::pooling, global_pool, kNone},
    Operator{"GlobalLpPool", Kind::pooling, global_pool, kNone},
};

}  // namespace

std::span<const Operator> window_operators() { return kOperators; }

}  // namespace neph::net
