// Parts of tensors: Gather, Slice, Split, Pad, Expand, Tile.
#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/torch/function.hpp"
#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

Tensor flat_indices(const Ops& ops, const Tensor& indices, std::int64_t size) {
  auto flat = ops.reshape(indices, Sizes{-1});
  // -1 is the last.
  const auto negative = aten(ops, "aten::lt", "Tensor", flat, integer(ops, 0));
  const auto moved = ops.convert(
      ops.add(ops.convert(flat, ops.abi().float64()), ops.multiply(ops.convert(negative, ops.abi().float64()),
                                                                   number(ops, static_cast<double>(size)))),
      ops.abi().int64());
  return moved;
}

Sizes spliced(std::span<const std::int64_t> sizes, std::size_t at, std::span<const std::int64_t> middle) {
  Sizes made(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(at));
  made.insert(made.end(), middle.begin(), middle.end());
  made.insert(made.end(), sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1, sizes.end());
  return made;
}

Tensor gather(const Ops& ops, const Tensor& x, const Tensor& indices, std::int64_t axis) {
  const auto at = from_front(axis, x.rank());
  const auto size = x.size(static_cast<std::size_t>(at));
  const auto taken = aten(ops, "aten::index_select", "", x, at, flat_indices(ops, indices, size));
  return ops.reshape(taken, spliced(x.sizes(), static_cast<std::size_t>(at), indices.sizes()));
}

Tensor gather_gradient(const Ops& ops, const Known& known, const Tensor& indices, std::int64_t axis) {
  const auto& x = known.inputs[0];
  const auto at = from_front(axis, x.rank());
  const auto index = flat_indices(ops, indices, x.size(static_cast<std::size_t>(at)));
  const Sizes middle{index.count()};
  const auto gradient = ops.reshape(known.gradient, spliced(x.sizes(), static_cast<std::size_t>(at), middle));
  const Sizes sizes(x.sizes().begin(), x.sizes().end());
  return aten(ops, "aten::index_select_backward", "", gradient, sizes, at, index);
}

/// One axis of a slice; backwards where the step is below 0.
struct Range {
  std::int64_t axis = 0, begin = 0, end = 0, step = 1;

  /// First index, number of elements.
  std::pair<std::int64_t, std::int64_t> of(std::int64_t size) const {
    const auto lowest = step > 0 ? std::int64_t{0} : std::int64_t{-1};
    const auto highest = step > 0 ? size : size - 1;
    const auto place = [&](std::int64_t at) {
      if (at < 0) at = at < -size ? lowest : at + size;
      return std::clamp(at, lowest, highest);
    };
    const auto first = place(begin);
    // An end beyond the front is the front itself.
    const auto last = step < 0 && end < -size ? -1 : place(end);
    const auto distance = step > 0 ? last - first : first - last;
    const auto stride = step > 0 ? step : -step;
    return {first, std::max<std::int64_t>(0, (distance + stride - 1) / stride)};
  }
};

/// The part of `x`, as a view: also where zeros are, of a gradient.
Tensor part_of(const Ops& ops, Tensor x, const std::vector<Range>& ranges) {
  for (const auto& range : ranges) {
    const auto at = from_front(range.axis, x.rank());
    const auto size = x.size(static_cast<std::size_t>(at));
    const auto [first, count] = range.of(size);
    if (range.step > 0) {
      const auto end = count == 0 ? first : first + (count - 1) * range.step + 1;
      x = aten(ops, "aten::slice", "Tensor", x, at, Given<std::int64_t>{first}, Given<std::int64_t>{end},
               range.step);
    } else {
      Sizes places(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] = first + i * range.step;
      x = aten(ops, "aten::index_select", "", x, at, ops.own(ops.wrap(places.data(), Sizes{count})));
    }
  }
  return x;
}

Function slice(const std::vector<Range>& ranges, bool has_gradient) {
  Function function{[=](const Ops& ops, auto in) { return part_of(ops, in[0], ranges); }, {}};
  if (has_gradient)
    function.backward = [=](const Ops& ops, const Known& known, std::size_t) {
      const auto& sizes = known.inputs[0].sizes();
      const auto zeros = ops.filled(sizes, usual_order(sizes), 0);
      ops.copy(part_of(ops, zeros, ranges), known.gradient);
      return zeros;
    };
  return function;
}

/// Starts, ends, axes, steps: attributes before opset 10, then inputs.
Result<std::vector<Range>> ranges_of(const Builder& builder, const net::Node& node) {
  std::array<Sizes, 4> given;
  constexpr std::array names{"starts", "ends", "axes", "steps"};
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = node.attribute<Sizes>(names[i], {});
    if (Builder::has(node, i + 1)) {
      NEPH_TRY(given[i], builder.integers(node, i + 1));
    }
  }
  const auto [starts, ends, axes, steps] = given;
  if (starts.size() != ends.size() || (!axes.empty() && axes.size() != starts.size()) ||
      (!steps.empty() && steps.size() != starts.size()) || std::ranges::count(steps, 0) > 0)
    return not_trained(node, "its starts, ends, axes and steps do not fit each other");
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i)
    ranges.push_back({.axis = axes.empty() ? static_cast<std::int64_t>(i) : axes[i],
                      .begin = starts[i],
                      .end = ends[i],
                      .step = steps.empty() ? 1 : steps[i]});
  return ranges;
}

/// Sizes of 1 stay as the input has them.
Tensor expanded(const Ops& ops, const Tensor& x, Sizes sizes) {
  const auto& own = x.sizes();
  if (sizes.size() < own.size()) sizes.insert(sizes.begin(), own.size() - sizes.size(), 1);
  for (std::size_t i = 0; i < own.size(); ++i) {
    auto& size = sizes[sizes.size() - own.size() + i];
    if (size == 1) size = own[i];
  }
  return ops.expand(x, sizes);
}

class Split final : public Layer {
 public:
  std::int64_t axis = 0;
  Sizes lengths;  ///< empty: alike

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto& x = pass.value(inputs[0]);
    sizes_.assign(x.sizes().begin(), x.sizes().end());
    const auto at = from_front(axis, x.rank());
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto length = length_of(i, x.size(static_cast<std::size_t>(at)));
      pass.set(outputs[i], ops.usual(ops.narrow(x, at, begin, length)));
      begin += length;
    }
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto whole = ops.filled(sizes_, usual_order(sizes_), 0);
    const auto at = from_front(axis, whole.rank());
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto length = length_of(i, whole.size(static_cast<std::size_t>(at)));
      if (pass.has_gradient(outputs[i]))
        ops.copy(ops.narrow(whole, at, begin, length), pass.take_gradient(outputs[i]).tensor);
      begin += length;
    }
    pass.give(inputs[0], whole);
  }

 private:
  /// What is left over makes the last one smaller.
  std::int64_t length_of(std::size_t i, std::int64_t size) const {
    if (!lengths.empty()) return lengths[i];
    const auto count = static_cast<std::int64_t>(outputs.size());
    const auto each = (size + count - 1) / count;
    return std::min(each, size - each * static_cast<std::int64_t>(i));
  }

  Sizes sizes_;
};

}  // namespace

Status make_gather(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto axis = node.attribute<std::int64_t>("axis", 0);
  const auto* stored = Builder::has(node, 1) ? builder.stored(node.inputs[1]) : nullptr;
  if (stored == nullptr || builder.for_inference()) {
    Function function{[axis](const Ops& ops, auto in) { return gather(ops, in[0], in[1], axis); }, {}};
    return make_function(builder, node, 2, std::move(function), made);
  }
  NEPH_TRY(const auto places, builder.integers(node, 1));
  const auto indices = builder.ops().own(builder.ops().wrap(places.data(), stored->shape));
  Function function{[=](const Ops& ops, auto in) { return gather(ops, in[0], indices, axis); },
                    [=](const Ops& ops, const Known& known, std::size_t) {
                      return gather_gradient(ops, known, indices, axis);
                    }};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_gather_elements(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto axis = node.attribute<std::int64_t>("axis", 0);
  Function function{[axis](const Ops& ops, auto in) {
                      const auto at = from_front(axis, in[0].rank());
                      const auto size = in[0].size(static_cast<std::size_t>(at));
                      const auto places = ops.reshape(flat_indices(ops, in[1], size), in[1].sizes());
                      return aten(ops, "aten::gather", "", in[0], at, places, false);
                    },
                    {}};
  return make_function(builder, node, 2, std::move(function), made);
}

Status make_running_sum(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto axis, builder.integers(node, 1));
  if (axis.size() != 1 || node.attribute<std::int64_t>("exclusive", 0) != 0 ||
      node.attribute<std::int64_t>("reverse", 0) != 0)
    return not_trained(node, "exclusive or reverse");
  Function function{
      [at = axis[0]](const Ops& ops, auto in) { return aten(ops, "aten::cumsum", "", in[0], at, None{}); },
      {}};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_slice(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto ranges, ranges_of(builder, node));
  const bool forwards = std::ranges::all_of(ranges, [](const Range& range) { return range.step > 0; });
  return make_function(builder, node, 1, slice(ranges, forwards), made);
}

Status make_split(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Split>();
  layer->axis = node.attribute<std::int64_t>("axis", 0);
  layer->lengths = node.attribute<Sizes>("split", {});
  if (Builder::has(node, 1)) {
    NEPH_TRY(layer->lengths, builder.integers(node, 1));
  }
  if (!layer->lengths.empty() && layer->lengths.size() != node.outputs.size())
    return not_trained(node, "it has not one length for each output");
  NEPH_CHECK(builder.input(node, 0, *layer));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) builder.output(node, *layer, false, i);
  made = std::move(layer);
  return {};
}

Status make_expand(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto shape, builder.integers(node, 1));
  Function function{[shape](const Ops& ops, auto in) { return expanded(ops, in[0], shape); },
                    [](const Ops&, const Known& known, std::size_t) { return known.gradient; }};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_expand_to_batch(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto shape, builder.integers(node, 2));
  const auto axis = static_cast<std::size_t>(node.attribute<std::int64_t>("axis", 0));
  const auto times = node.attribute<std::int64_t>("times", 1);
  Function function{[=](const Ops& ops, auto in) {
                      auto sizes = shape;
                      sizes[axis] = times * in[1].size(0);
                      return expanded(ops, in[0], std::move(sizes));
                    },
                    [](const Ops&, const Known& known, std::size_t) { return known.gradient; }};
  return make_function(builder, node, 2, std::move(function), made);
}

Status make_tile(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_TRY(const auto repeats, builder.integers(node, 1));
  Function function{
      [repeats](const Ops& ops, auto in) { return aten(ops, "aten::repeat", "", in[0], repeats); }, {}};
  return make_function(builder, node, 1, std::move(function), made);
}

Status make_pad(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  const auto mode = node.attribute<std::string>("mode", "constant");
  Sizes pads = node.attribute<Sizes>("pads", {});
  if (Builder::has(node, 1)) {
    NEPH_TRY(pads, builder.integers(node, 1));
  }
  double value = node.attribute<float>("value", 0);
  if (Builder::has(node, 2)) {
    const auto* stored = builder.stored(node.inputs[2]);
    if (stored == nullptr || stored->floats.size() != 1) return not_trained(node, "its value is computed");
    value = stored->floats[0];
  }
  if (mode != "constant" || Builder::has(node, 3) ||
      std::ranges::any_of(pads, [](auto pad) { return pad < 0; }))
    return not_trained(node, "only constants are padded, at all axes, from 0 on");
  const auto middle = [pads](const Ops& ops, Tensor whole, std::span<const std::int64_t> sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      whole = ops.narrow(whole, static_cast<std::int64_t>(i), pads[i], sizes[i]);
    return whole;
  };
  Function function{[=](const Ops& ops, auto in) {
                      Sizes sizes(in[0].sizes().begin(), in[0].sizes().end());
                      if (pads.size() != 2 * sizes.size()) throw Failure("pads of another rank");
                      for (std::size_t i = 0; i < sizes.size(); ++i)
                        sizes[i] += pads[i] + pads[i + sizes.size()];
                      const auto whole = ops.filled(sizes, usual_order(sizes), value);
                      ops.copy(middle(ops, whole, in[0].sizes()), in[0]);
                      return whole;
                    },
                    [=](const Ops& ops, const Known& known, std::size_t) {
                      return middle(ops, known.gradient, known.inputs[0].sizes());
                    }};
  return make_function(builder, node, 1, std::move(function), made);
}

}  // namespace neph::engine::torch_plugin
