// What is made small: the mean over the examples of a step.
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "engine/torch/ops.hpp"

namespace neph::engine::torch_plugin {

class Objective {
 public:
  virtual ~Objective() = default;
  /// A tensor of one number. `scores`: the network's output, before any softmax. `labels`: as Examples has
  /// them.
  virtual Tensor forward(const Ops& ops, const Tensor& scores, const Tensor& labels) = 0;
  /// The gradient of the scores of the last forward().
  virtual Tensor backward(const Ops& ops) = 0;
  /// Examples whose highest score is their label's.
  virtual std::int64_t correct(const Ops& ops, const Tensor& scores, const Tensor& labels) const = 0;
};

/// -log of the label's share in the softmax over the classes; scores [examples, classes].
std::unique_ptr<Objective> cross_entropy();
/// Connectionist temporal classification (Graves et al., ICML 2006) with the blank as class 0; scores
/// [steps, examples, classes], or with `examples_first` [examples, steps, classes]. Each example's is divided
/// by its number of labels, as PyTorch's CTCLoss does by default.
std::unique_ptr<Objective> ctc(bool examples_first);

}  // namespace neph::engine::torch_plugin
