#include "workload/train/step_log.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/samples.hpp"
#include "record/stages.hpp"
#include "workload/speed.hpp"

namespace neph::workload {

StepLog::StepLog(const std::vector<StepTimes>& steps, std::size_t first)
    : steps_(steps), first_(std::min(first, steps.size())), end_(steps.size()) {
  std::int64_t whole = 0;
  for (auto i = first_; i < end_; ++i) whole = std::max(whole, steps_[i].items);
  for (auto i = first_; i < end_; ++i)
    if (steps_[i].items == whole) full_s_.push_back(seconds(steps_[i].done - steps_[i].asked));
}

std::int64_t StepLog::samples() const {
  std::int64_t all = 0;
  for (auto i = first_; i < end_; ++i) all += steps_[i].items;
  return all;
}

double StepLog::all_s() const {
  double all = 0;
  for (auto i = first_; i < end_; ++i) all += seconds(steps_[i].done - steps_[i].asked);
  return all;
}

std::optional<Warning> StepLog::unsteady() const {
  std::vector<BatchEnd> ends;
  for (auto i = first_; i < end_; ++i)
    if (ends.empty() || steps_[i].items >= ends.front().answered)
      ends.push_back({.issued = steps_[i].asked, .done = steps_[i].done, .answered = steps_[i].items});
  return workload::unsteady(ends);
}

void StepLog::add_to(const Timeline& timeline, Nanoseconds filling, RunResult& result) const {
  const auto every = std::max<std::size_t>(1, (end_ - first_ + most_rows - 1) / most_rows);
  Column asked{std::string(samples::issued_s), {}}, done{std::string(samples::done_s), {}},
      items{std::string(samples::items), {}}, epoch{std::string(samples::epoch), {}},
      loss{std::string(samples::loss), {}}, wait{sample_column(stage::wait), {}};
  double waited_s = 0, stepped_s = 0;
  for (auto i = first_; i < end_; ++i) {
    const auto& step = steps_[i];
    const double wait_s = seconds(step.ready - step.asked);
    waited_s += wait_s;
    stepped_s += seconds(step.done - step.ready);
    if ((i - first_) % every != 0) continue;
    asked.values.push_back(timeline.at(step.asked));
    done.values.push_back(timeline.at(step.done));
    items.values.push_back(static_cast<double>(step.items));
    epoch.values.push_back(static_cast<double>(step.epoch));
    loss.values.push_back(step.loss);
    wait.values.push_back(wait_s);
  }
  result.samples = {std::move(asked), std::move(done), std::move(items),
                    std::move(epoch), std::move(loss), std::move(wait)};
  if (every > 1) set(result.facts, fact::raw_samples, fmt::format("every {}th step", every));
  const auto learnt = samples();
  result.stages = {{std::string(stage::fill.name), seconds(filling), learnt},
                   {std::string(stage::wait.name), waited_s, learnt},
                   {std::string(stage::step.name), stepped_s, learnt}};
}

void StepLog::add_exchange(Nanoseconds exchanging, RunResult& result) const {
  for (auto& each : result.stages)
    if (each.name == stage::step.name) each.busy_s -= seconds(exchanging);
  result.stages.push_back({std::string(stage::exchange.name), seconds(exchanging), samples()});
}

}  // namespace neph::workload
