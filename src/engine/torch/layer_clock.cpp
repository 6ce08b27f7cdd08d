#include "engine/torch/layer_clock.hpp"

#include <algorithm>

namespace neph::engine::torch_plugin {
namespace {

bool is_of(const std::vector<LayerTime>& times, const Plan& plan) {
  return std::ranges::equal(times, plan.layers,
                            [](const auto& time, const auto& layer) { return time.name == layer->name; });
}

}  // namespace

void LayerClock::run(const Plan& plan, Pass& pass, const std::function<void()>& wait) {
  std::vector<double> seconds;
  wait();  // for the inputs
  plan.forward(pass, seconds, wait);
  const std::lock_guard lock(mutex_);
  if (!is_of(sums_, plan)) {
    sums_.clear();
    runs_ = 0;
    for (const auto& layer : plan.layers) sums_.push_back({.name = layer->name, .kind = layer->op});
  }
  if (++runs_ == 2)
    for (auto& layer : sums_) layer.self_s = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) sums_[i].self_s += seconds[i];
}

Result<std::vector<LayerTime>> LayerClock::layers() {
  const std::lock_guard lock(mutex_);
  if (runs_ == 0) return fail(ErrorCode::unsupported, "there was no inference yet");
  auto means = sums_;
  for (auto& layer : means) layer.self_s /= static_cast<double>(std::max<std::size_t>(1, runs_ - 1));
  return means;
}

}  // namespace neph::engine::torch_plugin
