// Gemm and MatMul with a stored matrix: x W + b over the last dimension of x; Gemm with the Flatten before
// it.
#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

class Linear final : public Layer {
 public:
  std::size_t weight = 0;
  std::optional<std::size_t> bias;
  bool transposed = false;  ///< the weight is stored as [outputs, inputs], as PyTorch has it
  bool bfloat16 = false;
  bool by_onednn = false;
  bool flattens = false;  ///< all dimensions of x but the first are one

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto x = rows(pass);
    auto w = by_rows(ops, pass.parameter(weight).value);
    Tensor b = bias ? pass.parameter(*bias).value : Tensor();
    if (b && b.rank() != 1) b = ops.view(b, Sizes{b.count()}, Sizes{1});
    if (bfloat16) {
      x = ops.to_bfloat16(x), w = ops.to_bfloat16(w);
      if (b) b = ops.to_bfloat16(b);
    }
    const bool fits = x.rank() == 2 && x.size(1) == w.size(1);  // else aten::linear says what is wrong
    auto y = by_onednn && fits ? ops.linear_by_onednn(x, w, b) : ops.linear(x, w, b);
    if (pass.training()) input_ = std::move(x);
    pass.set(outputs[0], bfloat16 ? ops.to_float(y) : std::move(y));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto whole = pass.take_gradient(outputs[0]).tensor;
    auto g = flat(ops, ops.ordered(whole, row_major(whole.sizes())));
    if (bias) {
      const auto& b = pass.parameter(*bias).value;
      pass.give_parameter(*bias, ops.reshape(ops.sum(g, Sizes{0}, false), b.sizes()));
    }
    auto w = by_rows(ops, pass.parameter(weight).value);
    if (bfloat16) g = ops.to_bfloat16(g), w = ops.to_bfloat16(w);
    const auto x = flat(ops, std::exchange(input_, {}));
    const auto dw = transposed ? product(ops, turned(ops, g), x) : product(ops, turned(ops, x), g);
    give_weight(pass, bfloat16 ? ops.to_float(dw) : dw);
    if (!pass.wants(inputs[0])) return;
    const auto dx = product(ops, g, w);
    pass.give(inputs[0], in_shape(ops, bfloat16 ? ops.to_float(dx) : dx));
  }

 private:
  static Tensor turned(const Ops& ops, const Tensor& matrix) { return ops.permute(matrix, Sizes{1, 0}); }

  /// x, and what it was. Flattened pictures stay as they lie, with their channels last: the columns of the
  /// weight are put into that order once, as a tensor of the pictures' dimensions, and nothing is copied in a
  /// step.
  Tensor rows(Pass& pass) {
    const auto& ops = pass.ops();
    const auto& x = pass.value(inputs[0]);
    shape_.assign(x.sizes().begin(), x.sizes().end());
    if (!flattens) return ops.ordered(x, row_major(shape_));
    const Sizes two{shape_[0], x.count() / shape_[0]};
    if (shape_.size() != 4) return ops.view(ops.ordered(x, row_major(shape_)), two, row_major(two));
    auto& w = pass.parameter(weight).value;
    if (w.rank() == 2 && w.size(1) == two[1]) {
      const Sizes four{w.size(0), shape_[1], shape_[2], shape_[3]};
      w = ops.ordered(ops.view(w, four, row_major(four)), channels_last(four));
    }
    return ops.view(ops.ordered(x, channels_last(shape_)), two, row_major(two));
  }

  void give_weight(Pass& pass, const Tensor& gradient) const {
    const auto& ops = pass.ops();
    const auto& w = pass.parameter(weight).value;
    if (w.rank() == 2) return pass.give_parameter(weight, gradient);
    const auto dense = ops.ordered(gradient, row_major(gradient.sizes()));
    pass.give_parameter(weight, ops.view(dense, w.sizes(), w.strides()));
  }

  /// The gradient of x from that of its rows.
  Tensor in_shape(const Ops& ops, const Tensor& gradient) const {
    if (!flattens || shape_.size() != 4) return ops.reshape(gradient, shape_);
    return ops.view(ops.ordered(gradient, row_major(gradient.sizes())), shape_, channels_last(shape_));
  }

  /// [outputs, inputs]
  Tensor by_rows(const Ops& ops, const Tensor& w) const {
    if (!transposed) return turned(ops, w);
    const Sizes two{w.size(0), w.count() / w.size(0)};
    return w.rank() == 2 ? w : ops.view(w, two, row_major(two));
  }

  Tensor product(const Ops& ops, const Tensor& a, const Tensor& b) const {
    return by_onednn ? ops.linear_by_onednn(a, turned(ops, b), {}) : ops.matmul(a, b);
  }

  static Tensor flat(const Ops& ops, const Tensor& x) {
    if (x.rank() == 2) return x;
    return ops.reshape(x, Sizes{-1, x.sizes().back()});
  }

  Sizes shape_;  ///< of x
  Tensor input_;
};

}  // namespace

Status make_linear(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Linear>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  NEPH_TRY(layer->weight, builder.parameter(node, 1));
  const auto sizes = builder.value(layer->weight).sizes();
  if (sizes.size() != 2) return not_trained(node, "its second factor is no matrix");
  if (node.attribute<std::int64_t>("transA", 0) != 0) return not_trained(node, "transA");
  if (node.attribute<float>("alpha", 1) != 1 || node.attribute<float>("beta", 1) != 1)
    return not_trained(node, "alpha or beta is not 1");
  layer->transposed = node.attribute<std::int64_t>("transB", 0) != 0;
  if (Builder::has(node, 2)) {
    NEPH_TRY(layer->bias, builder.parameter(node, 2));
    if (builder.value(*layer->bias).count() != sizes[layer->transposed ? 0 : 1])
      return not_trained(node, "its bias does not have one number for each output");
  }
  layer->flattens = node.op == flatten_gemm_operator;
  layer->bfloat16 = builder.arithmetic().bfloat16;
  layer->by_onednn = !layer->bfloat16 && builder.ops().has_linear_by_onednn();
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
