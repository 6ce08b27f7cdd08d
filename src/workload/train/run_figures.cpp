// What a training run tells at its end.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/units.hpp"
#include "workload/files.hpp"
#include "workload/library_settings.hpp"
#include "workload/train/extrapolation.hpp"
#include "workload/train/run.hpp"

namespace neph::workload {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

Estimate times(const Estimate& time, double factor) {
  Estimate scaled{.value = time.value * factor, .n = time.n};
  if (time.low) scaled.low = *time.low * factor;
  if (time.high) scaled.high = *time.high * factor;
  return scaled;
}

}  // namespace

void TrainRun::sum_up(std::vector<Series> series) {
  const StepLog log(learner_->steps(), first_measured_);
  log.add_to(timeline_, filling_, result_);
  const bool is_exchange_timed = ranks_ && !get(trainer_->facts(), fact::exchange);
  if (is_exchange_timed) log.add_exchange(exchanging_, result_);
  add_figures(log);
  if (auto warning = log.unsteady()) result_.warnings.push_back(*std::move(warning));
  result_.telemetry = host::summarise(series, measured_begin_s_, measured_end_s_);
  result_.series = std::move(series);
  add_epochs();
  for (auto& warning : host::doubts(result_.telemetry, host::take_fingerprint({.nvml_library = ""})))
    result_.warnings.push_back(std::move(warning));
  add_facts(log);
  result_.phases = timeline_.phases();
}

void TrainRun::add_figures(const StepLog& log) {
  const auto sample_s = sample_time(log.full_s(), spec_.batch, log.all_s(), log.samples(), forever);
  auto& figures = result_.figures;
  figures.push_back(figure(metric::samples_per_s, inverse(sample_s)));
  figures.push_back(figure(metric::step_s, times(stats::mean_of_next(log.full_s(), forever), 1)));
  const auto epoch = static_cast<double>(data_.train->size());
  figures.push_back(
      figure(metric::epoch_s,
             times(sample_time(log.full_s(), spec_.batch, log.all_s(), log.samples(), epoch), epoch)));
  add_times(log);
  if (!train_loss_.values.empty()) {
    const auto seen = data_.test->size();
    figures.push_back(
        figure(metric::train_loss, {.value = train_loss_.values.back(), .n = data_.train->size()}));
    figures.push_back(figure(metric::test_loss, {.value = test_loss_.values.back(), .n = seen}));
    if (has_accuracy()) {
      const auto correct = std::llround(test_accuracy_.values.back() * static_cast<double>(seen));
      figures.push_back(figure(metric::test_accuracy, stats::share_estimate(correct, seen)));
    }
  }
  if (checkpoint_bytes_ > 0)
    figures.push_back(
        figure(metric::checkpoint_bytes, {.value = static_cast<double>(checkpoint_bytes_), .n = 1}));
}

/// Of verifying, and of the whole training: measured where it is over, else extrapolated.
void TrainRun::add_times(const StepLog& log) {
  const TrainingCourse course{.past_s = learn_s_ + verify_s_,
                              .samples_left = samples_of_training() - learnt_,
                              .test_samples_left = (spec_.epochs - epochs_over_) * data_.test->size(),
                              .batch = spec_.batch};
  std::span<const double> verifying = verify_batch_s_;
  if (epochs_over_ == 0 && verifying.size() > 1) verifying = verifying.subspan(1);  // the first does more
  const auto batch = std::min(spec_.batch, data_.test->size());
  const auto verify_s =
      epochs_over_ > 0 ? Estimate{.value = verify_s_ / static_cast<double>(epochs_over_), .n = epochs_over_}
                       : verifying_time(verifying, batch, data_.test->size());
  if (std::isfinite(verify_s.value)) result_.figures.push_back(figure(metric::verify_s, verify_s));
  const auto learning = sample_time(log.full_s(), spec_.batch, log.all_s(), log.samples(),
                                    static_cast<double>(std::max<std::int64_t>(1, course.samples_left)));
  const auto whole = training_time(course, learning, verifying);
  if (std::isfinite(whole.value)) result_.figures.push_back(figure(metric::training_s, whole));
  const bool is_whole = course.samples_left <= 0 && course.test_samples_left <= 0;
  set(result_.facts, fact::training_time,
      is_whole ? std::string("measured")
               : fmt::format("extrapolated from {} and {} of verifying", counted(log.count(), "step"),
                             counted(std::ssize(verifying), "step")));
  if (!is_whole && !is_sampled())
    result_.warnings.push_back(
        make_warning(WarningCode::stopped_early,
                     fmt::format("stopped by the user after {} of {}; the training's time is extrapolated",
                                 counted(epochs_over_, "epoch"), spec_.epochs),
                     "let it end, or say --steps 50"));
  if (!is_whole && !whole.high)
    result_.warnings.push_back(make_warning(
        WarningCode::few_steps, fmt::format("{} were measured, too few for an interval of the training time",
                                            counted(log.count(), "step"))));
}

void TrainRun::add_epochs() {
  for (auto* series : {&train_loss_, &test_loss_, &test_accuracy_})
    if (!series->values.empty()) result_.series.push_back(std::move(*series));
}

void TrainRun::add_facts(const StepLog& log) {
  auto& facts = result_.facts;
  const auto engine = get(facts, fact::engine);
  for (const auto& [name, value] : trainer_->facts()) facts[name] = value;
  set(facts, fact::engine, engine.value_or(""));
  set(facts, fact::network, network_.program ? network_.program->name : network_.file.string());
  set(facts, fact::model_file, network_.file.string());
  if (const auto hash = content_hash(files_of_model(network_.file)); !hash.empty())
    set(facts, fact::model_hash, hash);
  set(facts, fact::data, fmt::format("{} ({})", data_.name, data_.form));
  set(facts, fact::train_samples, data_.train->size());
  set(facts, fact::test_samples, data_.test->size());
  if (!data_.test_note.empty()) set(facts, fact::test_note, data_.test_note);
  set(facts, fact::steps_per_epoch, (data_.train->size() + spec_.batch - 1) / spec_.batch);
  set(facts, fact::steps_measured, log.count());
  set(facts, fact::epochs_learnt, epochs_over_);
  set(facts, fact::parameters, trainer_->parameters());
  set(facts, fact::optimizer, std::string(enum_name(spec_.optimizer)));
  set(facts, fact::learning_rate, format_number(spec_.learning_rate));
  add_library_settings(facts, own_variable);
  if (all_cores_ > 0) set(facts, fact::cores, all_cores_);
  if (ranks_) set(facts, fact::processes, ranks_of(spec_));
  if (ranks_ && !get(facts, fact::exchange)) set(facts, fact::exchange, std::string("shared memory"));
  if (!checkpoint_.empty()) set(facts, fact::checkpoint, checkpoint_);
}

}  // namespace neph::workload
