// Gemm and MatMul with a stored matrix: x W + b over the last dimension of x.
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

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto x = ops.ordered(pass.value(inputs[0]), row_major(pass.value(inputs[0]).sizes()));
    auto w = by_rows(ops, pass.parameter(weight).value);
    Tensor b = bias ? pass.parameter(*bias).value : Tensor();
    if (b && b.rank() != 1) b = ops.view(b, Sizes{b.count()}, Sizes{1});
    if (bfloat16) {
      x = ops.to_bfloat16(x), w = ops.to_bfloat16(w);
      if (b) b = ops.to_bfloat16(b);
    }
    auto y = by_onednn && x.rank() == 2 ? ops.linear_by_onednn(x, w, b) : ops.linear(x, w, b);
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
    const Sizes sizes(input_.sizes().begin(), input_.sizes().end());
    const auto x = flat(ops, std::exchange(input_, {}));
    const auto dw = transposed ? product(ops, turned(ops, g), x) : product(ops, turned(ops, x), g);
    pass.give_parameter(weight, bfloat16 ? ops.to_float(dw) : dw);
    if (!pass.wants(inputs[0])) return;
    const auto dx = product(ops, g, w);
    pass.give(inputs[0], ops.reshape(bfloat16 ? ops.to_float(dx) : dx, sizes));
  }

 private:
  static Tensor turned(const Ops& ops, const Tensor& matrix) { return ops.permute(matrix, Sizes{1, 0}); }

  /// [outputs, inputs]
  Tensor by_rows(const Ops& ops, const Tensor& w) const { return transposed ? w : turned(ops, w); }

  Tensor product(const Ops& ops, const Tensor& a, const Tensor& b) const {
    return by_onednn ? ops.linear_by_onednn(a, turned(ops, b), {}) : ops.matmul(a, b);
  }

  static Tensor flat(const Ops& ops, const Tensor& x) {
    if (x.rank() == 2) return x;
    return ops.reshape(x, Sizes{-1, x.sizes().back()});
  }

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
  layer->bfloat16 = builder.arithmetic().bfloat16;
  layer->by_onednn = !layer->bfloat16 && builder.ops().has_linear_by_onednn();
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
