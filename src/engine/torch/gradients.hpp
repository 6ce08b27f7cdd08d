// How a step's gradients, and its loss, become the mean over all ranks of a data parallel training: on CPUs
// through the memory that the ranks share, on GPUs by NCCL.
//
// What it does not do: start ranks, divide examples. Threads: one. Ownership: the Exchange outlives it.
// Cost: a copy of all gradients into one row of numbers, and what the way takes.
#pragma once

#include <memory>
#include <vector>

#include "engine/torch/device.hpp"
#include "engine/torch/plan.hpp"

namespace neph::engine::torch_plugin {

/// This rank's part of a step.
struct Portion {
  std::int64_t count = 0;  ///< examples; 0: it has neither gradients nor a loss
  std::int64_t whole = 0;  ///< of all ranks
};

class Gradients {
 public:
  virtual ~Gradients() = default;
  /// What it goes by, for the facts; empty: whoever made the Exchange knows.
  virtual std::string way() const { return {}; }
  /// Replaces the gradients of all that is trained, and the loss.
  virtual Status mean(const Ops& ops, std::vector<Parameter>& parameters, Tensor& loss, Portion portion) = 0;
};

/// All ranks at once. Errors: not_found (no NCCL), unavailable (a rank does not come).
Result<std::unique_ptr<Gradients>> make_gradients(const Library& library, const Place& place, const Ops& ops,
                                                  Exchange& exchange);

/// The way of GPUs: nccl.cpp.
Result<std::unique_ptr<Gradients>> nccl_gradients(const Library& library, const Place& place,
                                                  Exchange& exchange);

/// Where each trained parameter's gradient begins in the row; the loss is behind the last.
struct Row {
  explicit Row(const std::vector<Parameter>& parameters);
  std::vector<std::int64_t> begin;  ///< by parameter; of what is not trained -1
  std::int64_t loss = 0;
  std::int64_t count() const { return loss + 1; }
};

/// All ranks take over rank 0's tensors that are neither trained nor constants: running statistics.
Status share_statistics(const Ops& ops, std::vector<Parameter>& parameters, Exchange& exchange);

}  // namespace neph::engine::torch_plugin
