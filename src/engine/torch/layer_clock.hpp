// The time of each layer of a plan, over the inferences of a session; without the first, in which memory is
// made, unless it is the only one.
//
// Threads: any.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "engine/engine.hpp"
#include "engine/torch/plan.hpp"

namespace neph::engine::torch_plugin {

class LayerClock {
 public:
  /// Plan::forward(), timed; `wait` returns when the device has done what was started. Inferences of another
  /// plan than before begin the account anew: shapes have changed.
  void run(const Plan& plan, Pass& pass, const std::function<void()>& wait);
  /// Errors: unsupported (no inference yet).
  Result<std::vector<LayerTime>> layers();

 private:
  std::mutex mutex_;  ///< guards the rest
  std::size_t runs_ = 0;
  std::vector<LayerTime> sums_;  ///< of all of them; from the second on without the first
};

}  // namespace neph::engine::torch_plugin
