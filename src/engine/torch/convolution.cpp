// Conv in two dimensions.
#include "engine/torch/window.hpp"

namespace neph::engine::torch_plugin {
namespace {

class Convolution final : public Layer {
 public:
  Window window;
  std::size_t weight = 0;
  std::optional<std::size_t> bias;
  bool bfloat16 = false;

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto x = window.around(ops, pass.value(inputs[0]), 0);
    auto w = pass.parameter(weight).value;
    if (bfloat16) x = ops.to_bfloat16(x), w = ops.to_bfloat16(w);
    const Tensor none;
    const auto& b = bias ? pass.parameter(*bias).value : none;
    auto y = ops.convolution(x, w, bfloat16 && b ? ops.to_bfloat16(b) : b, window);
    if (pass.training()) input_ = std::move(x);
    pass.set(outputs[0], ops.usual(bfloat16 ? ops.to_float(y) : y));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto [given, owned, sums] = pass.take_gradient(outputs[0]);
    auto gradient = ops.usual(given);
    auto w = pass.parameter(weight).value;
    if (bfloat16) gradient = ops.to_bfloat16(gradient), w = ops.to_bfloat16(w);
    const Wanted wanted{pass.wants(inputs[0]), true, bias && !sums};
    auto [dx, dw, db] = ops.convolution_backward(gradient, std::exchange(input_, {}), w, window, wanted);
    pass.give_parameter(weight, bfloat16 ? ops.to_float(dw) : std::move(dw));
    if (wanted.bias) pass.give_parameter(*bias, bfloat16 ? ops.to_float(db) : std::move(db));
    if (bias && sums) pass.give_parameter(*bias, std::move(sums));
    if (wanted.input) pass.give(inputs[0], window.inside(ops, bfloat16 ? ops.to_float(dx) : std::move(dx)));
  }

 private:
  Tensor input_;
};

}  // namespace

Status make_convolution(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  auto layer = std::make_unique<Convolution>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  NEPH_TRY(layer->weight, builder.parameter(node, 1));
  const auto sizes = builder.value(layer->weight).sizes();
  if (sizes.size() != 4) return not_trained(node, "its weight does not have four dimensions");
  if (Builder::has(node, 2)) {
    NEPH_TRY(layer->bias, builder.parameter(node, 2));
  }
  NEPH_TRY(layer->window, read_window(node, {sizes[2], sizes[3]}));
  layer->bfloat16 = builder.arithmetic().bfloat16;
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
