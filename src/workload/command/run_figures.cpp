#include "workload/command/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "record/telemetry.hpp"
#include "stats/stats.hpp"
#include "workload/speed.hpp"

namespace neph::workload::command {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();
constexpr std::size_t most_rows = 100000;

std::vector<double> step_times(const Account& account) {
  std::vector<double> times_s;
  for (const auto& step : account.steps) times_s.push_back(step.time.length_s());
  return times_s;
}

/// A handful of epochs of one run are no sample of it: their mean has no interval.
Estimate mean_of_few(const std::vector<double>& times_s) {
  return {.value = stats::mean_estimate(times_s).value, .n = std::ssize(times_s)};
}

/// Without the first, where there are others: in it libraries compile and fill their caches.
Estimate epoch_time(const Account& account) {
  std::vector<double> times_s;
  for (const auto& epoch : account.epochs) times_s.push_back(epoch.learnt_s);
  if (times_s.size() > 1) times_s.erase(times_s.begin());
  return mean_of_few(times_s);
}

/// First step to the last of learning and verifying.
double training_time(const Account& account) {
  double begin_s = forever, end_s = -forever;
  for (const auto& [kind, time] : account.phases) {
    const bool is_part = kind.name == phase::first_step.name || kind.name == phase::learn.name ||
                         kind.name == phase::verify.name;
    if (!is_part) continue;
    begin_s = std::min(begin_s, time.begin_s);
    end_s = std::max(end_s, time.end_s);
  }
  return end_s - begin_s;
}

Estimate verifying_time(const Account& account) {
  std::vector<double> times_s;
  for (const auto& [kind, time] : account.phases)
    if (kind.name == phase::verify.name) times_s.push_back(time.length_s());
  return mean_of_few(times_s);
}

}  // namespace

void add_figures(const Account& account, const Spent& spent, RunResult& result) {
  auto& figures = result.figures;
  const auto add = [&](const Metric& metric, const Estimate& estimate) {
    if (std::isfinite(estimate.value)) figures.push_back(figure(metric, estimate));
  };
  const auto add_told = [&](const Metric& metric, Value value) {
    const auto told = account.values.find(value);
    if (told != account.values.end()) add(metric, {.value = told->second, .n = 1});
  };
  add(metric::command_s, {.value = spent.command_s, .n = 1});
  add(metric::cpu_s, {.value = spent.cpu_s, .n = 1});
  if (account.samples > 0 && account.learnt_s > 0)
    add(metric::samples_per_s, {.value = account.samples / account.learnt_s, .n = account.steps_seen});
  else
    add_told(metric::samples_per_s, Value::samples_per_s);
  if (!account.steps.empty())
    add(metric::step_s, stats::mean_of_next(step_times(account), forever));
  else
    add_told(metric::step_s, Value::step_s);
  if (!account.epochs.empty()) add(metric::epoch_s, epoch_time(account));
  add(metric::verify_s, verifying_time(account));
  if (account.learning) add(metric::training_s, {.value = training_time(account), .n = 1});
  add_told(metric::train_loss, Value::train_loss);
  add_told(metric::test_loss, Value::test_loss);
  add_told(metric::test_accuracy, Value::test_accuracy);
  if (account.saved_bytes > 0) add(metric::checkpoint_bytes, {.value = account.saved_bytes, .n = 1});
}

void add_steps(const Account& account, RunResult& result) {
  if (account.steps.empty()) return;
  Column issued{std::string(samples::issued_s), {}}, done{std::string(samples::done_s), {}},
      items{std::string(samples::items), {}}, epoch{std::string(samples::epoch), {}};
  const auto every = (account.steps.size() + most_rows - 1) / most_rows;
  for (std::size_t i = 0; i < account.steps.size(); i += every) {
    issued.values.push_back(account.steps[i].time.begin_s);
    done.values.push_back(account.steps[i].time.end_s);
    items.values.push_back(1);
    epoch.values.push_back(static_cast<double>(account.steps[i].epoch));
  }
  result.samples = {std::move(issued), std::move(done), std::move(items), std::move(epoch)};
  if (every > 1) set(result.facts, fact::raw_samples, fmt::format("every {}th step", every));
}

void add_course(const Account& account, RunResult& result) {
  for (const auto& [value, metric] : {std::pair{Value::train_loss, &metric::train_loss},
                                      {Value::test_loss, &metric::test_loss},
                                      {Value::test_accuracy, &metric::test_accuracy}}) {
    const auto found = account.course.find(value);
    if (found == account.course.end() || found->second.size() != account.epochs.size()) continue;
    Series series{.target = std::string(target::training),
                  .name = std::string(metric->name),
                  .unit = std::string(metric->unit)};
    for (const auto& [at_s, number] : found->second) {
      series.at_s.push_back(at_s);
      series.values.push_back(number);
    }
    result.series.push_back(std::move(series));
  }
}

void add_doubts(const Account& account, RunResult& result) {
  std::vector<BatchEnd> ends;
  for (const auto& step : account.steps)
    ends.push_back({.issued = Moment(from_seconds(step.time.begin_s)),
                    .done = Moment(from_seconds(step.time.end_s)),
                    .answered = 1});
  if (auto doubt = unsteady(ends)) result.warnings.push_back(std::move(*doubt));
  const auto loss = account.values.find(Value::train_loss);
  if (loss != account.values.end() && !std::isfinite(loss->second))
    result.warnings.push_back(make_warning(WarningCode::nan_loss, "the loss of the training is no number",
                                           "a lower learning rate, or a wider precision"));
}

}  // namespace neph::workload::command
