#include "engine/torch/plan.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "engine/torch/elementwise.hpp"

namespace neph::engine::torch_plugin {

void Pass::begin(bool training, std::uint64_t seed, std::size_t slots) {
  training_ = training;
  seed_ = seed;
  bytes_ = live_ = peak_ = 0;
  values_.assign(slots, {});
  gradients_.assign(slots, {});
}

void Pass::set(Slot slot, Tensor value) {
  const double bytes = static_cast<double>(value.count()) * sizeof(float);
  bytes_ += bytes;
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  values_[slot] = std::move(value);
}

void Pass::drop(Slot slot) {
  if (values_[slot]) live_ -= static_cast<double>(values_[slot].count()) * sizeof(float);
  values_[slot] = {};
}

Gradient Pass::take_gradient(Slot slot) { return std::exchange(gradients_[slot], {}); }

Gradient Pass::take_gradient(Slot slot, const Tensor& like) {
  auto gradient = take_gradient(slot);
  if (!gradient.tensor) {
    gradient = {ops_->filled(like.sizes(), like.strides(), 0), true};
  } else if (!same_places(like.sizes(), like.strides(), gradient.tensor.strides())) {
    gradient.tensor = ops_->ordered(gradient.tensor, like.strides());
    gradient.owned = true;
  }
  return gradient;
}

void Pass::give(Slot slot, Tensor gradient, bool owned, Tensor sums) {
  if (!wanted_[slot]) return;
  auto& have = gradients_[slot];
  if (!have.tensor) {
    have = {std::move(gradient), owned, std::move(sums)};
    return;
  }
  have.sums = {};
  if (!have.owned && owned) std::swap(have.tensor, gradient), have.owned = true;
  const bool alike = same_places(have.tensor.sizes(), have.tensor.strides(), gradient.strides());
  if (!alike) gradient = ops_->ordered(gradient, have.tensor.strides());
  have.tensor = add_alike(*ops_, have.tensor, gradient, have.owned);
  have.owned = true;
}

void Pass::give_parameter(std::size_t index, Tensor gradient) {
  auto& parameter = (*parameters_)[index];
  gradient = ops_->ordered(gradient, parameter.value.strides());
  parameter.gradient =
      parameter.gradient ? add_alike(*ops_, parameter.gradient, gradient, false) : std::move(gradient);
}

void Plan::drop_inputs(Pass& pass, std::size_t layer) const {
  for (const auto slot : layers[layer]->inputs)
    if (last_reader[slot] == layer) pass.drop(slot);
}

void Plan::forward(Pass& pass) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i]->forward(pass);
    drop_inputs(pass, i);
  }
}

void Plan::forward(Pass& pass, std::vector<double>& seconds, const std::function<void()>& wait) const {
  seconds.resize(layers.size());
  const SteadyClock clock;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto begin = clock.now();
    layers[i]->forward(pass);
    drop_inputs(pass, i);
    wait();
    seconds[i] += neph::seconds(clock.now() - begin);
  }
}

void Plan::backward(Pass& pass) const {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto& results = (*layer)->outputs;
    if (std::any_of(results.begin(), results.end(), [&](Slot slot) { return pass.has_gradient(slot); }))
      (*layer)->backward(pass);
  }
}

}  // namespace neph::engine::torch_plugin
