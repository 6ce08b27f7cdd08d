// Steps of a training: batches from a feed to a trainer, with their times and losses.
//
// Threads: one. Ownership: feed and trainer outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "workload/train/feed.hpp"
#include "workload/train/step_log.hpp"

namespace neph::workload {

/// Steps that are waited for together where the device computes on its own.
constexpr std::int64_t waited_together_on_a_gpu = 10;
bool computes_on_its_own(const engine::Trainer& trainer);

class Learner {
 public:
  Learner(engine::Trainer& trainer, Feed& feed, const Clock& clock)
      : trainer_(trainer), feed_(feed), clock_(clock) {}

  /// From now on so many steps are waited for together, and each is given an equal share of their time. A GPU
  /// has the next steps queued while it computes, and waiting for each would measure the queue's start.
  void wait_together(std::int64_t steps) { waited_together_ = steps; }

  /// One step of `epoch`. False: the epoch is over, and all its steps have been waited for.
  Result<bool> step(std::int64_t epoch);
  /// Waits for the steps that are under way.
  Status wait();
  /// Those that have been waited for.
  const std::vector<StepTimes>& steps() const { return steps_; }

 private:
  engine::Trainer& trainer_;
  Feed& feed_;
  const Clock& clock_;
  std::int64_t waited_together_ = 1;
  std::vector<StepTimes> pending_, steps_;
};

/// What came of examples that nothing was learnt from.
struct Verification {
  double loss = 0;  ///< mean over the samples
  std::int64_t correct = 0, samples = 0;
  std::vector<double> batch_s;  ///< of whole batches, in their order
};

/// The first `samples` of the feed's split; 0: all. Ends early, with what it has, where `stops` says so.
Result<Verification> verify(engine::Trainer& trainer, Feed& feed, std::int64_t samples, const Clock& clock,
                            const std::function<bool(std::int64_t done)>& stops);

}  // namespace neph::workload
