// What tests of backward passes share: gradients by differences.
#pragma once

#include "engine/torch/fixture_test.hpp"

namespace neph::engine::torch_plugin {

/// A plan whose output is summed with fixed random weights to one number.
class Summed {
 public:
  explicit Summed(const net::Program& program) : ops_(test_ops()) {
    auto made = make_plan(program, ops_, {});
    if (!made) {
      ADD_FAILURE() << made.error().text();
      return;
    }
    plan_ = std::move(*made);
    Sizes sizes = program.inputs[0].shape;
    input_ = ops_.usual(tensor(random_floats(product(sizes), 3), sizes));
    pass_ = std::make_unique<Pass>(ops_, plan_.parameters, plan_.wanted);
  }

  bool is_made() const { return pass_ != nullptr; }
  std::vector<Parameter>& parameters() { return plan_.parameters; }
  const Ops& ops() const { return ops_; }

  double sum() {
    pass_->begin(true, 17, plan_.wanted.size());
    pass_->set(plan_.input, ops_.ordered(input_, input_.strides()));
    plan_.forward(*pass_);
    const auto& y = pass_->value(plan_.output);
    if (weights_.empty()) weights_ = random_floats(y.count(), 5);
    const auto values = floats_of(ops_, y);
    double sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) sum += double{weights_[i]} * double{values[i]};
    return sum;
  }

  void backward() {
    sum();
    const auto sizes = pass_->value(plan_.output).sizes();
    pass_->give(plan_.output, ops_.usual(tensor(weights_, Sizes(sizes.begin(), sizes.end()))));
    plan_.backward(*pass_);
  }

 private:
  Tensor tensor(const std::vector<float>& values, const Sizes& sizes) const {
    auto made = ops_.empty(sizes, row_major(sizes));
    ops_.copy(made, ops_.wrap(values.data(), sizes, row_major(sizes)));
    return made;
  }

  Ops ops_;
  Plan plan_;
  std::unique_ptr<Pass> pass_;
  Tensor input_;
  std::vector<float> weights_;
};

/// All elements of small tensors and some of large ones.
inline void expect_gradients(const net::Program& program, double tolerance = 0.02) {
  Summed summed(program);
  ASSERT_TRUE(summed.is_made());
  summed.backward();
  int tried = 0;
  for (auto& parameter : summed.parameters()) {
    if (!parameter.trained) continue;
    ASSERT_TRUE(parameter.gradient) << parameter.name << " has no gradient";
    const auto& ops = summed.ops();
    auto values = floats_of(ops, parameter.value);
    const auto gradient = floats_of(ops, parameter.gradient);
    const auto sum_with = [&](std::size_t i, float value) {
      const float before = std::exchange(values[i], value);
      const auto& sizes = parameter.value.sizes();
      ops.copy(parameter.value, ops.wrap(values.data(), sizes, row_major(sizes)));
      values[i] = before;
      return summed.sum();
    };
    double largest = 1e-3;
    for (const auto each : gradient) largest = std::max(largest, std::abs(double{each}));
    const auto count = values.size();
    for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / 40), ++tried) {
      constexpr float step = 2e-3F;
      const double above = sum_with(i, values[i] + step);
      const double below = sum_with(i, values[i] - step);
      EXPECT_NEAR(gradient[i], (above - below) / (2 * double{step}), tolerance * largest)
          << parameter.name << "[" << i << "]";
    }
    (void)sum_with(0, values[0]);  // as it was
  }
  EXPECT_GT(tried, 0);
}

inline Written pictures(Sizes input = {2, 3, 6, 5}) {
  Written written(std::move(input));
  written.learn_input("in");
  return written;
}

}  // namespace neph::engine::torch_plugin
