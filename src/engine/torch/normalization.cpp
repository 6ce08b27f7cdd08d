// BatchNormalization: by the batch in training (with running statistics), by those statistics when verifying.
// Ioffe, Szegedy, "Batch Normalization", ICML 2015.
#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {
namespace {

class BatchNorm final : public Layer {
 public:
  std::size_t scale = 0;
  std::size_t bias = 0;
  std::size_t mean = 0;
  std::size_t variance = 0;
  double epsilon = 1e-5;
  double update = 0.1;  ///< weight of the batch's statistics in the running ones

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto& x = pass.value(inputs[0]);
    auto [y, batch_mean, deviation] =
        ops.batch_norm(x, pass.parameter(scale).value, pass.parameter(bias).value, pass.parameter(mean).value,
                       pass.parameter(variance).value, pass.training(), update, epsilon);
    if (pass.training()) {
      input_ = x;
      batch_mean_ = std::move(batch_mean);
      deviation_ = std::move(deviation);
    }
    pass.set(outputs[0], std::move(y));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = pass.take_gradient(outputs[0], input_).tensor;
    const Wanted wanted{pass.wants(inputs[0]), true, true};
    auto [dx, dscale, dbias] = ops.batch_norm_backward(gradient, input_, pass.parameter(scale).value,
                                                       batch_mean_, deviation_, epsilon, wanted);
    input_ = batch_mean_ = deviation_ = {};
    pass.give_parameter(scale, std::move(dscale));
    pass.give_parameter(bias, std::move(dbias));
    if (wanted.input) pass.give(inputs[0], std::move(dx));
  }

 private:
  Tensor input_;
  Tensor batch_mean_;
  Tensor deviation_;
};

}  // namespace

Status make_batch_norm(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  // Exported as it trains, it has its running statistics as outputs; here they are parameters.
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (builder.is_read(node.outputs[i])) return not_trained(node, "its running statistics are asked for");
  auto layer = std::make_unique<BatchNorm>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  NEPH_TRY(layer->scale, builder.parameter(node, 1));
  NEPH_TRY(layer->bias, builder.parameter(node, 2));
  NEPH_TRY(layer->mean, builder.parameter(node, 3, false));
  NEPH_TRY(layer->variance, builder.parameter(node, 4, false));
  layer->epsilon = node.attribute<float>("epsilon", 1e-5F);
  layer->update = 1.0 - static_cast<double>(node.attribute<float>("momentum", 0.9F));
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
