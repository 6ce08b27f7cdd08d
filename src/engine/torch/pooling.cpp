// MaxPool, AveragePool, GlobalAveragePool, and ReduceMean, which exporters write for it.
#include <limits>

#include "engine/torch/elementwise.hpp"
#include "engine/torch/tiled_pool.hpp"

namespace neph::engine::torch_plugin {
namespace {

class MaxPool final : public Layer {
 public:
  Window window;

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto x = window.around(ops, pass.value(inputs[0]), std::numeric_limits<float>::lowest());
    sizes_.assign(x.sizes().begin(), x.sizes().end());
    tiled_ = is_tiled(ops, window);
    if (tiled_) {
      auto [y, places] = tiled_max_pool(ops, ops.usual(x), window);
      if (pass.training()) places_ = std::move(places);
      return pass.set(outputs[0], std::move(y));
    }
    auto [y, places] = ops.max_pool(x, window);
    if (pass.training()) input_ = std::move(x), places_ = std::move(places);
    pass.set(outputs[0], std::move(y));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = ops.usual(pass.take_gradient(outputs[0]).tensor);
    const auto places = std::exchange(places_, {});
    if (tiled_) {
      auto spread = tiled_max_pool_backward(ops, gradient, places, sizes_, window);
      // Each element went to one place, so that the sums are the same, of fewer elements.
      return pass.give(inputs[0], std::move(spread), true, ops.sum(gradient, Sizes{0, 2, 3}, false));
    }
    auto dx = ops.max_pool_backward(gradient, std::exchange(input_, {}), window, places);
    pass.give(inputs[0], window.inside(ops, std::move(dx)));
  }

 private:
  bool tiled_ = false;
  Sizes sizes_;
  Tensor input_;   ///< for its sizes, which libtorch asks of the tensor
  Tensor places_;  ///< of the maxima
};

class AveragePool final : public Layer {
 public:
  Window window;

  void forward(Pass& pass) override {
    auto x = window.around(pass.ops(), pass.value(inputs[0]), 0);
    pass.set(outputs[0], pass.ops().average_pool(x, window));
    if (pass.training()) input_ = std::move(x);
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = ops.usual(pass.take_gradient(outputs[0]).tensor);
    auto dx = ops.average_pool_backward(gradient, std::exchange(input_, {}), window);
    pass.give(inputs[0], window.inside(ops, ops.usual(dx)));
  }

 private:
  Tensor input_;  ///< for its sizes, which libtorch asks of the tensor
};

/// The mean, or the sum, over some dimensions.
class Reduce final : public Layer {
 public:
  bool is_sum = false;
  Sizes axes;  ///< empty: all behind the first two
  bool keep = true;

  void forward(Pass& pass) override {
    const auto& x = pass.value(inputs[0]);
    sizes_.assign(x.sizes().begin(), x.sizes().end());
    const auto axes_here = axes_of(sizes_);
    const auto& ops = pass.ops();
    pass.set(outputs[0], ops.usual(is_sum ? ops.sum(x, axes_here, keep) : ops.mean(x, axes_here, keep)));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto gradient = pass.take_gradient(outputs[0]).tensor;
    Sizes kept = sizes_;
    double elements = 1;
    for (const auto axis : axes_of(sizes_)) {
      const auto at =
          static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(sizes_.size()) : axis);
      elements *= static_cast<double>(sizes_[at]);
      kept[at] = 1;
    }
    gradient = ops.usual(ops.reshape(gradient, kept));
    if (!is_sum) gradient = scale(ops, gradient, static_cast<float>(1 / elements), false);
    pass.give(inputs[0], ops.usual(ops.expand(gradient, sizes_)));
  }

 private:
  Sizes axes_of(const Sizes& sizes) const {
    if (!axes.empty()) return axes;
    Sizes all;
    for (std::size_t i = 2; i < sizes.size(); ++i) all.push_back(static_cast<std::int64_t>(i));
    return all;
  }

  Sizes sizes_;
};

template <class Kind>
Status make_windowed(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Kind>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  NEPH_TRY(auto window, read_window(node, node.attribute<Sizes>("kernel_shape", {})));
  for (std::size_t axis = 0; axis < 2; ++axis) {  // libtorch takes no wider padding
    if (window.padding[axis] * 2 <= window.kernel[axis]) continue;
    window.extra[axis] += window.padding[axis];
    window.extra[axis + 2] += window.padding[axis];
    window.padding[axis] = 0;
  }
  layer->window = std::move(window);
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace

Status make_max_pool(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  if (node.outputs.size() > 1 && !node.outputs[1].empty())
    return not_trained(node, "its indices are asked for");
  return make_windowed<MaxPool>(builder, node, made);
}

Status make_average_pool(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_CHECK(make_windowed<AveragePool>(builder, node, made));
  const auto& window = static_cast<const AveragePool&>(*made).window;
  if (!window.is_even() && !window.count_padding)
    return not_trained(node, "its padding is not the same at both ends and does not count");
  if (window.dilation != Sizes{1, 1}) return not_trained(node, "dilations");
  return {};
}

Status make_global_average(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Reduce>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

Status make_reduce(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Reduce>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  if (Builder::has(node, 1)) {
    NEPH_TRY(layer->axes, builder.integers(node, 1));
  } else {
    layer->axes = node.attribute<Sizes>("axes", {});
  }
  if (layer->axes.empty()) return not_trained(node, "it goes over the examples too");
  for (const auto axis : layer->axes)
    if (axis == 0) return not_trained(node, "it goes over the examples too");
  layer->is_sum = node.op == "ReduceSum";
  layer->keep = node.attribute<std::int64_t>("keepdims", 1) != 0;
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
