// How a step changes the parameters: Adam (Kingma, Ba, ICLR 2015; beta 0.9 and 0.999, epsilon 1e-8) or
// stochastic gradient descent with momentum, as PyTorch defines both, its weight decay being part of the
// gradient.
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "engine/torch/plan.hpp"

namespace neph::engine::torch_plugin {

class Update {
 public:
  virtual ~Update() = default;
  /// Changes what has a gradient, and takes the gradients.
  virtual void step(const Ops& ops, std::vector<Parameter>& parameters) = 0;
};

std::unique_ptr<Update> make_update(const TrainOptions& options);

}  // namespace neph::engine::torch_plugin
