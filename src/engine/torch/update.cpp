#include "engine/torch/update.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// What is kept of a parameter from step to step, made when it first has a gradient.
struct Memory {
  Tensor first;
  Tensor second;
};

Tensor zeros_like(const Ops& ops, const Tensor& x) { return ops.filled(x.sizes(), x.strides(), 0); }

class AdamUpdate final : public Update {
 public:
  explicit AdamUpdate(Ops::Adam settings) : settings_(settings) {}

  void step(const Ops& ops, std::vector<Parameter>& parameters) override {
    memory_.resize(parameters.size());
    if (!steps_) steps_ = ops.filled(Sizes{}, Sizes{}, 0);
    check(ops.abi().fill(steps_.handle(), static_cast<double>(++done_)), "counting steps");
    std::vector<Tensor> values, gradients, means, squares;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto& parameter = parameters[i];
      if (!parameter.trained || !parameter.gradient) continue;
      auto& [mean, square] = memory_[i];
      if (!mean) mean = zeros_like(ops, parameter.value), square = zeros_like(ops, parameter.value);
      values.push_back(parameter.value);
      gradients.push_back(std::exchange(parameter.gradient, {}));
      means.push_back(mean);
      squares.push_back(square);
    }
    ops.adam(values, gradients, means, squares, std::vector<Tensor>(values.size(), steps_), settings_);
  }

 private:
  Ops::Adam settings_;
  std::vector<Memory> memory_;
  Tensor steps_;  ///< the same for all: every parameter is changed in every step
  std::int64_t done_ = 0;
};

class SgdUpdate final : public Update {
 public:
  explicit SgdUpdate(Ops::Descent settings) : settings_(settings) {}

  void step(const Ops& ops, std::vector<Parameter>& parameters) override {
    memory_.resize(parameters.size());
    std::vector<Tensor> values, gradients, momenta;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto& parameter = parameters[i];
      if (!parameter.trained || !parameter.gradient) continue;
      values.push_back(parameter.value);
      gradients.push_back(std::exchange(parameter.gradient, {}));
      if (settings_.momentum == 0) continue;
      auto& momentum = memory_[i].first;
      if (!momentum) momentum = zeros_like(ops, parameter.value);
      momenta.push_back(momentum);
    }
    ops.sgd(values, gradients, momenta, settings_, std::exchange(first_, false));
  }

 private:
  Ops::Descent settings_;
  std::vector<Memory> memory_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Update> make_update(const TrainOptions& options) {
  if (options.optimizer == Optimizer::sgd)
    return std::make_unique<SgdUpdate>(Ops::Descent{
        .rate = options.learning_rate, .decay = options.weight_decay, .momentum = options.momentum});
  return std::make_unique<AdamUpdate>(
      Ops::Adam{.rate = options.learning_rate, .decay = options.weight_decay});
}

}  // namespace neph::engine::torch_plugin
