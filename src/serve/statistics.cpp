#include "serve/statistics.hpp"

#include <algorithm>
#include <chrono>

namespace neph::serve {
namespace {

void add(wire::StatisticDuration& sum, Nanoseconds time) {
  ++sum.count;
  sum.ns += static_cast<std::uint64_t>(time.count());
}

void add(wire::StatisticDuration& sum, const wire::StatisticDuration& more) {
  sum.count += more.count;
  sum.ns += more.ns;
}

void add(wire::InferStatistics& sum, const wire::InferStatistics& more) {
  add(sum.success, more.success);
  add(sum.fail, more.fail);
  add(sum.queue, more.queue);
  add(sum.compute_input, more.compute_input);
  add(sum.compute_infer, more.compute_infer);
  add(sum.compute_output, more.compute_output);
}

void add(wire::InferBatchStatistics& sum, const wire::InferBatchStatistics& more) {
  sum.batch_size = more.batch_size;
  add(sum.compute_input, more.compute_input);
  add(sum.compute_infer, more.compute_infer);
  add(sum.compute_output, more.compute_output);
}

std::uint64_t milliseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

void Statistics::add_execution(std::int64_t rows, const ExecutionTimes& times) {
  const std::scoped_lock lock(mutex_);
  ++sums_.execution_count;
  sums_.last_inference = milliseconds_since_1970();
  auto& size = by_size_[rows];
  size.batch_size = static_cast<std::uint64_t>(rows);
  add(size.compute_input, times.input);
  add(size.compute_infer, times.infer);
  add(size.compute_output, times.output);
}

void Statistics::add_success(std::int64_t rows, const wire::StageTimes& stages, Nanoseconds total) {
  const std::scoped_lock lock(mutex_);
  sums_.inference_count += static_cast<std::uint64_t>(rows);
  auto& stats = sums_.inference_stats;
  add(stats.success, total);
  add(stats.queue, stages.queue);
  add(stats.compute_input, stages.decode + stages.batch);
  add(stats.compute_infer, stages.infer);
  add(stats.compute_output, stages.encode);
}

void Statistics::add_failure(Nanoseconds total) {
  const std::scoped_lock lock(mutex_);
  add(sums_.inference_stats.fail, total);
}

wire::ModelStatistics Statistics::snapshot() const {
  const std::scoped_lock lock(mutex_);
  auto copy = sums_;
  for (const auto& [rows, size] : by_size_) copy.batch_stats.push_back(size);
  return copy;
}

wire::ModelStatistics sum_of(const std::vector<wire::ModelStatistics>& all) {
  wire::ModelStatistics sum;
  std::map<std::uint64_t, wire::InferBatchStatistics> by_size;
  for (const auto& each : all) {
    sum.last_inference = std::max(sum.last_inference, each.last_inference);
    sum.inference_count += each.inference_count;
    sum.execution_count += each.execution_count;
    add(sum.inference_stats, each.inference_stats);
    for (const auto& size : each.batch_stats) add(by_size[size.batch_size], size);
  }
  for (const auto& [rows, size] : by_size) sum.batch_stats.push_back(size);
  return sum;
}

}  // namespace neph::serve
