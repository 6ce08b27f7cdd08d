// Flatten, Reshape, Squeeze, Unsqueeze, Transpose: the same elements in another shape.
#include <algorithm>

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// The elements of x in row-major order, in another shape.
class Reshape : public Layer {
 public:
  void forward(Pass& pass) override {
    const auto& x = pass.value(inputs[0]);
    sizes_.assign(x.sizes().begin(), x.sizes().end());
    pass.set(outputs[0], pass.ops().usual(pass.ops().reshape(x, target(sizes_))));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = pass.take_gradient(outputs[0]);
    pass.give(inputs[0], ops.usual(ops.reshape(gradient.tensor, sizes_)), false);
  }

 private:
  virtual Sizes target(const Sizes& from) const = 0;

  Sizes sizes_;
};

class Flatten final : public Reshape {
 public:
  std::int64_t axis = 1;

 private:
  Sizes target(const Sizes& from) const override {
    const auto at = axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis;
    const std::span all(from);
    const auto before =
        static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(from.size())));
    return {product(all.first(before)), product(all.subspan(before))};
  }
};

class FixedReshape final : public Reshape {
 public:
  Sizes shape;  ///< as the file has it: 0 is the input's own, -1 what is left

 private:
  Sizes target(const Sizes& from) const override {
    Sizes sizes = shape;
    std::int64_t known = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0 && i < from.size()) sizes[i] = from[i];
      if (sizes[i] > 0) known *= sizes[i];
    }
    const auto all = product(from);
    const bool open = std::find(sizes.begin(), sizes.end(), -1) != sizes.end();
    // A file that was made for one batch says its size; it is the first dimension.
    if (!open && known != all && !sizes.empty() && sizes[0] > 0)
      sizes[0] = all / std::max<std::int64_t>(known / sizes[0], 1);
    return sizes;
  }
};

class Squeeze final : public Reshape {
 public:
  Sizes axes;  ///< empty: all dimensions of one element but the batch

 private:
  Sizes target(const Sizes& from) const override {
    const auto rank = static_cast<std::int64_t>(from.size());
    Sizes sizes;
    for (std::int64_t i = 0; i < rank; ++i) {
      const auto size = from[static_cast<std::size_t>(i)];
      const auto named = [&](std::int64_t axis) { return axis == i || axis + rank == i; };
      const bool removed = axes.empty() ? size == 1 && i > 0 : std::any_of(axes.begin(), axes.end(), named);
      if (!removed) sizes.push_back(size);
    }
    return sizes;
  }
};

class Unsqueeze final : public Reshape {
 public:
  Sizes axes;

 private:
  Sizes target(const Sizes& from) const override {
    const auto rank = static_cast<std::int64_t>(from.size() + axes.size());
    Sizes sizes;
    auto next = from.begin();
    for (std::int64_t i = 0; i < rank; ++i) {
      const auto named = [&](std::int64_t axis) { return axis == i || axis + rank == i; };
      const bool added = std::any_of(axes.begin(), axes.end(), named);
      sizes.push_back(added || next == from.end() ? 1 : *next++);
    }
    return sizes;
  }
};

class Transpose final : public Layer {
 public:
  Sizes order;

  void forward(Pass& pass) override {
    const auto& x = pass.value(inputs[0]);
    if (order.empty())
      for (auto i = x.rank(); i-- > 0;) order.push_back(i);
    pass.set(outputs[0], pass.ops().usual(pass.ops().permute(x, order)));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    Sizes back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    const auto gradient = pass.take_gradient(outputs[0]);
    pass.give(inputs[0], ops.usual(ops.permute(gradient.tensor, back)), false);
  }
};

template <class Kind>
Status add_layer(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made,
                 std::unique_ptr<Kind> layer) {
  NEPH_CHECK(builder.input(node, 0, *layer));
  builder.output(node, *layer, builder.may_overwrite(node, 0));
  made = std::move(layer);
  return {};
}

/// An attribute before opset 13, then an input.
Result<Sizes> axes_of(const Builder& builder, const net::Node& node) {
  if (Builder::has(node, 1)) return builder.integers(node, 1);
  return node.attribute<Sizes>("axes", {});
}

}  // namespace

Status make_flatten(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Flatten>();
  layer->axis = node.attribute<std::int64_t>("axis", 1);
  return add_layer(builder, node, made, std::move(layer));
}

Status make_reshape(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<FixedReshape>();
  NEPH_TRY(layer->shape, builder.integers(node, 1));
  if (node.attribute<std::int64_t>("allowzero", 0) != 0) return not_trained(node, "allowzero");
  return add_layer(builder, node, made, std::move(layer));
}

Status make_squeeze(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Squeeze>();
  NEPH_TRY(layer->axes, axes_of(builder, node));
  return add_layer(builder, node, made, std::move(layer));
}

Status make_unsqueeze(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Unsqueeze>();
  NEPH_TRY(layer->axes, axes_of(builder, node));
  return add_layer(builder, node, made, std::move(layer));
}

Status make_transpose(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Transpose>();
  layer->order = node.attribute<Sizes>("perm", {});
  return add_layer(builder, node, made, std::move(layer));
}

}  // namespace neph::engine::torch_plugin
