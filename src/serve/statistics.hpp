// What a model's requests and executions have taken so far. Only for files of this module.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/clock.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// The time of one execution of a batch.
struct ExecutionTimes {
  Nanoseconds input{};   ///< joining inputs
  Nanoseconds infer{};   ///< in the engine
  Nanoseconds output{};  ///< taking outputs apart
};

/// Threads: any.
class Statistics {
 public:
  /// A batch of `rows` was executed.
  void add_execution(std::int64_t rows, const ExecutionTimes& times);
  /// A request of `rows` was answered `total` after it came.
  void add_success(std::int64_t rows, const wire::StageTimes& stages, Nanoseconds total);
  void add_failure(Nanoseconds total);

  wire::ModelStatistics snapshot() const;

 private:
  mutable std::mutex mutex_;
  wire::ModelStatistics sums_;
  std::map<std::int64_t, wire::InferBatchStatistics> by_size_;
};

/// All of them together; name and version stay empty.
wire::ModelStatistics sum_of(const std::vector<wire::ModelStatistics>& all);

}  // namespace neph::serve
