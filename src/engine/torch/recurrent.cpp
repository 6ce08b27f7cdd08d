// GRU (Cho et al., EMNLP 2014) in ONNX's layout: gates in the order update, reset, new; one direction or
// both. With linear_before_reset, as PyTorch and cuDNN have it, the reset gate takes what the recurrent
// product gave; without, it takes the state before that product.
#include <algorithm>

#include "engine/torch/builder.hpp"
#include "engine/torch/elementwise.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// What a step of one direction leaves for the backward pass; each [examples, hidden] but `gates`.
struct Step {
  std::int64_t time = 0;
  Tensor before;     ///< the state before it
  Tensor gates;      ///< update and reset side by side
  Tensor recurrent;  ///< with linear_before_reset: what the reset gate took
  Tensor fresh;      ///< the new gate's result
};

/// Parameters of one direction.
struct Direction {
  Tensor input;           ///< [3 hidden, inputs]
  Tensor recurrent;       ///< [3 hidden, hidden]
  Tensor input_bias;      ///< [3 hidden]; empty: none
  Tensor recurrent_bias;  ///< the same
  bool reverse = false;
};

/// Gradients of one direction's parameters, each with a dimension of one in front.
struct DirectionGradients {
  Tensor input, recurrent, bias;
};

class Gru final : public Layer {
 public:
  std::size_t input_weight = 0;
  std::size_t recurrent_weight = 0;
  std::optional<std::size_t> bias;
  std::int64_t directions = 1;
  std::int64_t hidden = 0;
  bool first_is_reverse = false;
  bool linear_before_reset = false;

  void forward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto x = ops.ordered(pass.value(inputs[0]), row_major(pass.value(inputs[0]).sizes()));
    if (pass.training()) input_ = x;
    steps_.assign(static_cast<std::size_t>(directions), {});
    std::vector<Tensor> sides;
    for (std::int64_t d = 0; d < directions; ++d) sides.push_back(run(pass, x, d));
    pass.set(outputs[0], ops.usual(ops.cat(sides, 1)));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    const auto gradient = pass.take_gradient(outputs[0]).tensor;
    std::vector<Tensor> input, recurrent, biases;
    for (std::int64_t d = 0; d < directions; ++d) {
      auto made = run_back(pass, ops.narrow(gradient, 1, d, 1), d);
      input.push_back(std::move(made.input));
      recurrent.push_back(std::move(made.recurrent));
      biases.push_back(std::move(made.bias));
    }
    pass.give_parameter(input_weight, ops.cat(input, 0));
    pass.give_parameter(recurrent_weight, ops.cat(recurrent, 0));
    if (bias) pass.give_parameter(*bias, ops.cat(biases, 0));
    input_ = {};
    steps_.clear();
  }

 private:
  Direction direction(Pass& pass, std::int64_t d) const {
    const auto& ops = pass.ops();
    const auto side = [&](std::size_t parameter) {
      return part(ops, pass.parameter(parameter).value, 0, d, 1);
    };
    const auto matrix = [&](const Tensor& x) { return ops.reshape(x, Sizes{x.size(1), x.size(2)}); };
    Direction made{.input = matrix(side(input_weight)),
                   .recurrent = matrix(side(recurrent_weight)),
                   .input_bias = {},
                   .recurrent_bias = {},
                   .reverse = d == 1 || first_is_reverse};
    if (bias) {
      const auto both = ops.reshape(side(*bias), Sizes{6 * hidden});
      made.input_bias = part(ops, both, 0, 0, 3 * hidden);
      made.recurrent_bias = part(ops, both, 0, 3 * hidden, 3 * hidden);
    }
    return made;
  }

  static Tensor part(const Ops& ops, const Tensor& x, std::int64_t dimension, std::int64_t begin,
                     std::int64_t length) {
    return ops.narrow(x, dimension, begin, length);
  }
  /// Columns of a gate: 0 update, 1 reset, 2 new.
  Tensor gate(const Ops& ops, const Tensor& x, std::int64_t which, std::int64_t how_many = 1) const {
    return part(ops, x, 1, which * hidden, how_many * hidden);
  }
  static Tensor rows(const Ops& ops, const Tensor& x, std::int64_t which) {
    return ops.reshape(part(ops, x, 0, which, 1), Sizes{x.size(1), x.size(2)});
  }

  /// The outputs of one direction: [steps, 1, examples, hidden].
  Tensor run(Pass& pass, const Tensor& x, std::int64_t d) {
    const auto& ops = pass.ops();
    const auto side = direction(pass, d);
    const auto times = x.size(0), examples = x.size(1);
    const auto projected = ops.linear(x, side.input, side.input_bias);
    const Sizes sizes{examples, hidden};
    auto state = ops.filled(sizes, row_major(sizes), 0);
    std::vector<Tensor> states(static_cast<std::size_t>(times));
    for (std::int64_t i = 0; i < times; ++i) {
      const auto time = side.reverse ? times - 1 - i : i;
      Step step{.time = time, .before = state, .gates = {}, .recurrent = {}, .fresh = {}};
      state = next(ops, side, rows(ops, projected, time), step);
      states[static_cast<std::size_t>(time)] = ops.reshape(state, Sizes{1, 1, examples, hidden});
      if (pass.training()) steps_[static_cast<std::size_t>(d)].push_back(std::move(step));
    }
    return ops.cat(states, 0);
  }

  Tensor next(const Ops& ops, const Direction& side, const Tensor& from_input, Step& step) const {
    Tensor candidate;
    if (linear_before_reset) {
      const auto product = ops.linear(step.before, side.recurrent, side.recurrent_bias);
      step.gates = ops.sigmoid(ops.add(gate(ops, from_input, 0, 2), gate(ops, product, 0, 2)));
      step.recurrent = gate(ops, product, 2);
      candidate = ops.multiply(gate(ops, step.gates, 1), step.recurrent);
    } else {
      const Tensor none;
      const auto bias_of = [&](std::int64_t begin, std::int64_t gates) {
        return side.recurrent_bias ? part(ops, side.recurrent_bias, 0, begin * hidden, gates * hidden) : none;
      };
      const auto weight_of = [&](std::int64_t begin, std::int64_t gates) {
        return part(ops, side.recurrent, 0, begin * hidden, gates * hidden);
      };
      const auto product = ops.linear(step.before, weight_of(0, 2), bias_of(0, 2));
      step.gates = ops.sigmoid(ops.add(gate(ops, from_input, 0, 2), product));
      const auto kept = ops.multiply(gate(ops, step.gates, 1), step.before);
      candidate = ops.linear(kept, weight_of(2, 1), bias_of(2, 1));
    }
    step.fresh = ops.tanh(ops.add(gate(ops, from_input, 2), candidate));
    const auto difference = ops.subtract(step.before, step.fresh);
    return ops.add(step.fresh, ops.multiply(gate(ops, step.gates, 0), difference));
  }

  /// From the gradient [steps, 1, examples, hidden] of what run() gave.
  DirectionGradients run_back(Pass& pass, const Tensor& gradient, std::int64_t d) {
    const auto& ops = pass.ops();
    const auto side = direction(pass, d);
    auto& steps = steps_[static_cast<std::size_t>(d)];
    Back back;
    back.from_input.resize(steps.size());
    const Sizes sizes{input_.size(1), hidden};
    auto state = ops.filled(sizes, row_major(sizes), 0);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const auto here = ops.reshape(part(ops, gradient, 0, step->time, 1), sizes);
      state = previous(ops, side, *step, ops.add(here, state), back);
    }
    return collect(pass, side, back);
  }

  /// Gradients of all steps.
  struct Back {
    std::vector<Tensor> from_input;    ///< by time: of the input's product, [examples, 3 hidden]
    std::vector<Tensor> gates, fresh;  ///< of the recurrent products, in the order of the backward pass
    std::vector<Tensor> states, reset_states;  ///< what those products were of
  };

  /// The gradient of the state before a step.
  Tensor previous(const Ops& ops, const Direction& side, const Step& step, const Tensor& state,
                  Back& back) const {
    const auto update = gate(ops, step.gates, 0);
    const auto reset = gate(ops, step.gates, 1);
    const auto kept = ops.multiply(state, update);
    const auto fresh = ops.tanh_backward(ops.subtract(state, kept), step.fresh);
    const auto d_update = ops.multiply(state, ops.subtract(step.before, step.fresh));
    Tensor d_reset, before;
    if (linear_before_reset) {
      d_reset = ops.multiply(fresh, step.recurrent);
    } else {
      const auto of_kept = ops.matmul(fresh, part(ops, side.recurrent, 0, 2 * hidden, hidden));
      d_reset = ops.multiply(of_kept, step.before);
      before = ops.multiply(of_kept, reset);
    }
    const auto gates = ops.sigmoid_backward(ops.cat(std::array{d_update, d_reset}, 1), step.gates);
    back.from_input[static_cast<std::size_t>(step.time)] = ops.cat(std::array{gates, fresh}, 1);
    back.gates.push_back(gates);
    back.fresh.push_back(linear_before_reset ? ops.multiply(fresh, reset) : fresh);
    back.states.push_back(step.before);
    back.reset_states.push_back(linear_before_reset ? step.before : ops.multiply(reset, step.before));
    auto through_gates = ops.matmul(gates, part(ops, side.recurrent, 0, 0, 2 * hidden));
    if (linear_before_reset)
      before = ops.matmul(back.fresh.back(), part(ops, side.recurrent, 0, 2 * hidden, hidden));
    return ops.add(ops.add(kept, before), through_gates);
  }

  DirectionGradients collect(Pass& pass, const Direction& side, const Back& back) const {
    const auto& ops = pass.ops();
    const auto product = [&](const Tensor& left, const Tensor& right) {
      return ops.matmul(ops.permute(left, Sizes{1, 0}), right);
    };
    const auto from_input = ops.cat(back.from_input, 0);
    const auto gates = ops.cat(back.gates, 0);
    const auto fresh = ops.cat(back.fresh, 0);
    const auto x = ops.reshape(input_, Sizes{-1, input_.size(2)});
    const auto recurrent = ops.cat(
        std::array{product(gates, ops.cat(back.states, 0)), product(fresh, ops.cat(back.reset_states, 0))},
        0);
    if (pass.wants(inputs[0]))
      pass.give(inputs[0], ops.reshape(ops.matmul(from_input, side.input), input_.sizes()));
    DirectionGradients made;
    const auto in_front = [&](const Tensor& g) { return ops.reshape(g, Sizes{1, g.size(0), g.size(1)}); };
    made.input = in_front(product(from_input, x));
    made.recurrent = in_front(recurrent);
    if (!bias) return made;
    const auto summed = [&](const Tensor& g) { return ops.sum(g, Sizes{0}, false); };
    const auto all = ops.cat(std::array{summed(from_input), summed(gates), summed(fresh)}, 0);
    made.bias = ops.reshape(all, Sizes{1, 6 * hidden});
    return made;
  }

  Tensor input_;
  std::vector<std::vector<Step>> steps_;  ///< by direction, in the order in which they ran
};

/// An initial state that the file stores as zeros is none.
bool is_zero(const net::StoredTensor* stored) {
  return stored != nullptr &&
         std::all_of(stored->floats.begin(), stored->floats.end(), [](float f) { return f == 0; });
}

Status check_gru(const Builder& builder, const net::Node& node) {
  if (Builder::has(node, 4)) return not_trained(node, "sequences of different lengths (input 4)");
  if (Builder::has(node, 5) && !is_zero(builder.stored(node.inputs[5])))
    return not_trained(node, "an initial state that is not zero (input 5)");
  if (node.outputs.empty() || node.outputs[0].empty()) return not_trained(node, "its output Y is not used");
  if (node.outputs.size() > 1 && !node.outputs[1].empty() && builder.is_read(node.outputs[1]))
    return not_trained(node, "its output Y_h is used");
  for (const char* name : {"clip", "activations", "activation_alpha", "activation_beta"})
    if (node.attributes.contains(name)) return not_trained(node, fmt::format("its attribute {}", name));
  if (node.attribute<std::int64_t>("layout", 0) != 0) return not_trained(node, "layout 1");
  return {};
}

}  // namespace

Status make_gru(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& made) {
  NEPH_CHECK(check_gru(builder, node));
  auto layer = std::make_unique<Gru>();
  NEPH_CHECK(builder.input(node, 0, *layer));
  NEPH_TRY(layer->input_weight, builder.parameter(node, 1));
  NEPH_TRY(layer->recurrent_weight, builder.parameter(node, 2));
  if (Builder::has(node, 3)) {
    NEPH_TRY(layer->bias, builder.parameter(node, 3));
  }
  const auto way = node.attribute<std::string>("direction", "forward");
  const auto sizes = builder.value(layer->recurrent_weight).sizes();
  layer->directions = way == "bidirectional" ? 2 : 1;
  if (sizes.size() != 3 || sizes[0] != layer->directions || sizes[1] != 3 * sizes[2])
    return not_trained(node, "its weights do not have the sizes of its directions");
  layer->hidden = sizes[2];
  layer->first_is_reverse = way == "reverse";
  layer->linear_before_reset = node.attribute<std::int64_t>("linear_before_reset", 0) != 0;
  builder.output(node, *layer, true);
  made = std::move(layer);
  return {};
}

}  // namespace neph::engine::torch_plugin
