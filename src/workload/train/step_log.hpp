// What the steps of a training leave behind: raw samples, stages, and the figures made of them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.hpp"
#include "record/run.hpp"
#include "workload/timeline.hpp"

namespace neph::workload {

/// A step: its batch was asked for, was there, was learnt.
struct StepTimes {
  Moment asked, ready, done;
  std::int64_t items = 0;
  std::int64_t epoch = 0;
  double loss = 0;  ///< mean over its samples
};

/// Of steps [`first`, end of `steps`): those that are measured.
class StepLog {
 public:
  StepLog(const std::vector<StepTimes>& steps, std::size_t first);

  /// Fills samples and stages. `filling`: time of the loader threads. Of more than `most_rows`
  /// steps every k-th is kept, and a fact says so.
  void add_to(const Timeline& timeline, Nanoseconds filling, RunResult& result) const;

  /// A stage of its own for the part of the steps that was the exchange of gradients.
  void add_exchange(Nanoseconds exchanging, RunResult& result) const;

  std::int64_t count() const { return static_cast<std::int64_t>(end_ - first_); }
  std::int64_t samples() const;
  /// Time of all, from asking for a batch to the weights' update.
  double all_s() const;
  /// Times of those with a whole batch, in their order.
  const std::vector<double>& full_s() const { return full_s_; }
  /// Whether they became slower or faster.
  std::optional<Warning> unsteady() const;

  static constexpr std::size_t most_rows = 200'000;

 private:
  const std::vector<StepTimes>& steps_;
  std::size_t first_, end_;
  std::vector<double> full_s_;
};

}  // namespace neph::workload
