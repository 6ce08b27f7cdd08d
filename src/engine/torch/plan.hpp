// A network as a list of layers, each with its forward and its backward pass written out: what a training
// does, planned once.
//
// What it does not do: read programs (builder.hpp), know of losses, change parameters.
// Threads: one at a time. Ownership: a plan owns its parameters. Cost: what its layers cost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/torch/ops.hpp"

namespace neph::engine::torch_plugin {

/// A tensor that the file stores, on the device.
struct Parameter {
  std::string name;
  Tensor value;     ///< of the file's sizes
  Tensor gradient;  ///< of this step, at the same places; empty: none yet
  bool trained = true;
  bool constant = false;  ///< of a Constant node: no tensor of the file's own
};

/// Where a value or its gradient is kept during a pass.
using Slot = std::size_t;

struct Gradient {
  Tensor tensor;
  bool owned = false;  ///< nobody else has it: its memory may be used for another result
  Tensor sums{};       ///< over all but dimension 1, where the layer that made it has them; empty: not
};

/// The tensors of one forward pass, and of the backward pass after it.
class Pass {
 public:
  Pass(const Ops& ops, std::vector<Parameter>& parameters, std::vector<bool> wanted)
      : ops_(&ops), parameters_(&parameters), wanted_(std::move(wanted)) {}

  const Ops& ops() const { return *ops_; }
  /// Dropouts drop, batch norms use the batch, and layers keep what their backward passes need.
  bool training() const { return training_; }
  /// Of what is random in this step.
  std::uint64_t seed() const { return seed_; }

  void begin(bool training, std::uint64_t seed, std::size_t slots);

  const Tensor& value(Slot slot) const { return values_[slot]; }
  void set(Slot slot, Tensor value);
  /// Makes room for more slots than begin() did: for plans that are computed while they are built.
  void grow(std::size_t slots) { values_.resize(slots); }
  void drop(Slot slot);
  /// Bytes of all values that were set since begin().
  double bytes() const { return bytes_; }
  /// The most that were there at once.
  double peak_bytes() const { return peak_; }

  bool has_gradient(Slot slot) const { return static_cast<bool>(gradients_[slot].tensor); }
  /// Takes it: a layer asks once for that of each of its outputs. At the places of `like`, if that is given.
  Gradient take_gradient(Slot slot);
  Gradient take_gradient(Slot slot, const Tensor& like);
  /// Whether anything is learnt from it.
  bool wants(Slot slot) const { return wanted_[slot]; }
  /// Adds to the gradient of a value. `owned`: the tensor is nowhere else. `sums`: as Gradient has them.
  void give(Slot slot, Tensor gradient, bool owned = true, Tensor sums = {});

  Parameter& parameter(std::size_t index) { return (*parameters_)[index]; }
  void give_parameter(std::size_t index, Tensor gradient);

 private:
  const Ops* ops_;
  std::vector<Parameter>* parameters_;
  std::vector<bool> wanted_;
  bool training_ = false;
  std::uint64_t seed_ = 0;
  double bytes_ = 0;
  double live_ = 0;
  double peak_ = 0;
  std::vector<Tensor> values_;
  std::vector<Gradient> gradients_;
};

class Layer {
 public:
  virtual ~Layer() = default;
  /// Reads its inputs' values and sets its outputs'.
  virtual void forward(Pass& pass) = 0;
  /// Takes the gradients of its outputs, of which one at least is there, and gives those of its inputs and
  /// parameters. Lets go what it kept.
  virtual void backward(Pass& pass) = 0;

  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::string name, op;  ///< of inference: of the file's node
};

struct Plan {
  std::vector<std::unique_ptr<Layer>> layers;
  std::vector<Parameter> parameters;
  std::vector<bool> wanted;              ///< by slot: whether its gradient is
  std::vector<std::size_t> last_reader;  ///< by slot: the layer after which its value can go
  Slot input = 0;
  Slot output = 0;
  std::vector<std::int64_t> input_shape;           ///< without the batch
  std::vector<Slot> outputs;                       ///< of inference: all; the inputs have the first slots
  std::vector<std::pair<Slot, Tensor>> constants;  ///< of inference: values to set before each pass
  std::vector<Sizes> output_sizes;                 ///< of inference
  double peak_bytes = 0;                           ///< of inference: the most that values take at once
  bool recurrent = false;

  void forward(Pass& pass) const;
  /// The same, and adds to `seconds`, of each layer, what it took until `wait` returned.
  void forward(Pass& pass, std::vector<double>& seconds, const std::function<void()>& wait) const;
  /// From the gradient of the output, which the pass has.
  void backward(Pass& pass) const;

 private:
  void drop_inputs(Pass& pass, std::size_t layer) const;
};

}  // namespace neph::engine::torch_plugin
