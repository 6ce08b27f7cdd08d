// Relu, Clip, Sigmoid, Tanh, Dropout, and Relu with Dropout in one pass over the memory.
#include <limits>

#include "core/random.hpp"
#include "engine/torch/builder.hpp"
#include "engine/torch/elementwise.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// Those whose gradient can be told from their result.
class FromResult : public Layer {
 public:
  bool in_place = false;

  void forward(Pass& pass) override {
    auto y = compute(pass.ops(), pass.value(inputs[0]));
    if (pass.training()) result_ = y;
    pass.set(outputs[0], std::move(y));
  }

  void backward(Pass& pass) override {
    auto gradient = pass.take_gradient(outputs[0], result_);
    pass.give(inputs[0],
              differentiate(pass.ops(), gradient.tensor, std::exchange(result_, {}), gradient.owned));
  }

 private:
  virtual Tensor compute(const Ops& ops, const Tensor& x) const = 0;
  virtual Tensor differentiate(const Ops& ops, const Tensor& gradient, const Tensor& result,
                               bool owned) const = 0;

  Tensor result_;
};

class Relu final : public FromResult {
  Tensor compute(const Ops& ops, const Tensor& x) const override { return relu(ops, x, in_place); }
  Tensor differentiate(const Ops& ops, const Tensor& gradient, const Tensor& result,
                       bool owned) const override {
    return relu_backward(ops, gradient, result, owned);
  }
};

class Clip final : public FromResult {
 public:
  float low = std::numeric_limits<float>::lowest();
  float high = std::numeric_limits<float>::max();

 private:
  Tensor compute(const Ops& ops, const Tensor& x) const override { return clip(ops, x, low, high); }
  Tensor differentiate(const Ops& ops, const Tensor& gradient, const Tensor& result,
                       bool owned) const override {
    return clip_backward(ops, gradient, result, low, high, owned);
  }
};

class Sigmoid final : public FromResult {
  Tensor compute(const Ops& ops, const Tensor& x) const override { return ops.sigmoid(x); }
  Tensor differentiate(const Ops& ops, const Tensor& gradient, const Tensor& result, bool) const override {
    return ops.sigmoid_backward(gradient, result);
  }
};

class Tanh final : public FromResult {
  Tensor compute(const Ops& ops, const Tensor& x) const override { return ops.tanh(x); }
  Tensor differentiate(const Ops& ops, const Tensor& gradient, const Tensor& result, bool) const override {
    return ops.tanh_backward(gradient, result);
  }
};

class Dropout final : public Layer {
 public:
  Drop drop;
  bool in_place = false;
  std::uint64_t number = 0;  ///< of the layer: each has random numbers of its own

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto& x = pass.value(inputs[0]);
    if (!pass.training()) return pass.set(outputs[0], drop.with_relu ? relu(ops, x, in_place) : x);
    std::uint64_t seed = pass.seed() ^ (number * 0x9e3779b97f4a7c15ULL);
    drop.seed = split_mix(seed);
    forward_ = dropout(ops, x, drop, in_place);
    pass.set(outputs[0], forward_.result);
  }

  void backward(Pass& pass) override {
    const auto gradient = pass.take_gradient(outputs[0], forward_.result);
    pass.give(inputs[0], dropout_backward(pass.ops(), gradient.tensor, forward_, gradient.owned));
    forward_ = {};
  }

 private:
  Dropped forward_;
};

template <class Kind>
Status make_from_result(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made,
                        std::unique_ptr<Kind> layer) {
  NEPH_CHECK(builder.input(node, 0, *layer));
  builder.output(node, *layer, false);
  made = std::move(layer);
  return {};
}

/// A limit of Clip: an attribute before opset 11, then an input that the file stores.
Result<float> limit(const Builder& builder, const net::Node& node, const char* name, std::size_t index,
                    float otherwise) {
  if (!Builder::has(node, index)) return node.attribute<float>(name, otherwise);
  const auto* stored = builder.stored(node.inputs[index]);
  if (stored == nullptr || stored->floats.size() != 1)
    return not_trained(node, fmt::format("its {} is computed", name));
  return stored->floats[0];
}

/// The ratio of Dropout: an attribute before opset 12, then an input that the file stores.
Result<double> ratio_of(const Builder& builder, const net::Node& node) {
  NEPH_TRY(const float ratio, limit(builder, node, "ratio", 1, 0.5F));
  if (!(ratio >= 0 && ratio < 1))
    return not_trained(node, fmt::format("its ratio {} is not in [0, 1)", ratio));
  return ratio;
}

Status make_any_dropout(Builder& builder, const net::Node& node, bool with_relu,
                        std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Dropout>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  NEPH_TRY(layer->drop.ratio, ratio_of(builder, node));
  layer->drop.with_relu = with_relu;
  layer->in_place = builder.may_overwrite(node, 0);
  layer->number = builder.output(node, *layer, false);
  made = std::move(layer);
  return {};
}

}  // namespace

Status make_relu(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Relu>();
  layer->in_place = builder.may_overwrite(node, 0);
  return make_from_result(builder, node, made, std::move(layer));
}

Status make_clip(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Clip>();
  NEPH_TRY(layer->low, limit(builder, node, "min", 1, layer->low));
  NEPH_TRY(layer->high, limit(builder, node, "max", 2, layer->high));
  return make_from_result(builder, node, made, std::move(layer));
}

Status make_sigmoid(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_from_result(builder, node, made, std::make_unique<Sigmoid>());
}

Status make_tanh(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_from_result(builder, node, made, std::make_unique<Tanh>());
}

Status make_dropout(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_any_dropout(builder, node, false, made);
}

Status make_relu_dropout(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  return make_any_dropout(builder, node, true, made);
}

}  // namespace neph::engine::torch_plugin
