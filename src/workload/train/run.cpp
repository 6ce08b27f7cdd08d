#include "workload/train/run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

#include "core/units.hpp"
#include "os/cores.hpp"
#include "workload/train/cores.hpp"
#include "workload/train/extrapolation.hpp"
#include "workload/train/rank_run.hpp"

namespace neph::workload {
namespace {

/// As of `infer`: a warm-up ends after ten steps at the earliest.
constexpr stats::WarmupRule warmup_rule{.window = 5, .tolerance = 0.02};
/// A shorter training has no steps to spare for a warm-up.
constexpr std::int64_t least_steps_for_warmup = 30;

constexpr std::int64_t most_notes = 10;  ///< of epochs that are over
constexpr Nanoseconds progress_interval = std::chrono::milliseconds(200);

std::int64_t batches_of(std::int64_t samples, std::int64_t batch) { return (samples + batch - 1) / batch; }

}  // namespace

TrainRun::TrainRun(const TrainSpec& spec, const Context& context)
    : spec_(spec),
      context_(context),
      timeline_(context.clock, context.origin, context.events),
      warmup_(warmup_rule) {
  for (auto [series, metric] : {std::pair{&train_loss_, metric::train_loss},
                                {&test_loss_, metric::test_loss},
                                {&test_accuracy_, metric::test_accuracy}}) {
    series->target = target::training;
    series->name = metric.name;
    series->unit = metric.unit;
  }
}

Result<RunResult> TrainRun::run() {
  timeline_.add(phase::process_start, 0, timeline_.now());
  if (const auto ranks = ranks_of(spec_); ranks > 1) {
    NEPH_TRY(ranks_, Ranks::start(to_json(spec_), ranks, context_.clock));
  }
  auto measured = measure();
  if (measured) return std::move(result_);
  if (!ranks_ || context_.stop.stop_requested()) return tl::unexpected(measured.error());
  return tl::unexpected(ranks_->cause_of(measured.error()));
}

/// After the other ranks were started, which inherit what this one is bound to.
Status TrainRun::bind() {
  if (spec_.threads == 0 && !ranks_) return {};
  all_cores_ = usable_cores();
  if (spec_.threads > all_cores_)
    result_.warnings.push_back(make_warning(WarningCode::fewer_cores,
                                            fmt::format("{} threads were asked for, and this run may use {}",
                                                        spec_.threads, counted(all_cores_, "core"))));
  if (spec_.threads > 0) all_cores_ = std::min(all_cores_, spec_.threads);
  NEPH_TRY(cores_, bind_to_cores(spec_.threads, 0, ranks_of(spec_)));
  return {};
}

Status TrainRun::measure() {
  NEPH_CHECK(bind());
  NEPH_TRY(const auto telemetry,
           host::Telemetry::start({.rate_hz = spec_.telemetry_hz}, context_.clock, context_.origin));
  NEPH_CHECK(prepare());
  NEPH_CHECK(open_data());
  NEPH_CHECK(train(*telemetry));
  if (ranks_ && !context_.stop.stop_requested()) NEPH_CHECK(end_ranks());
  if (!context_.stop.stop_requested()) NEPH_CHECK(save());
  sum_up(telemetry->stop());
  return {};
}

Status TrainRun::prepare() {
  NEPH_TRY(auto* const engine,
           timeline_.during(phase::engine_load, [&] { return engines_.open_trainer(spec_.engine); }));
  NEPH_TRY(network_, timeline_.during(phase::model_load, [&] { return open_network(spec_, *engine); }));
  NEPH_TRY(trainer_, timeline_.during(phase::prepare, [&] {
    return make_trainer(spec_, network_, *engine, ranks_ ? &ranks_->exchange() : nullptr, cores_);
  }));
  set(result_.facts, fact::engine, fmt::format("{} {}", engine->name(), engine->version()));
  return {};
}

Status TrainRun::open_data() {
  NEPH_TRY(data_, timeline_.during(phase::data_load, [&] {
    return data::open(spec_.data, data_options(spec_, network_.known(), trainer_.get()));
  }));
  if (data_.train->size() < 1 || data_.test->size() < 1)
    return fail(ErrorCode::invalid_argument, "{}: {} samples to learn and {} to verify; there must be some",
                data_.name, data_.train->size(), data_.test->size());
  return make_feeds();
}

Status TrainRun::make_feeds() {
  auto options = feed_options(spec_, data_, cores_, 0);
  set(result_.facts, fact::loaders, options.loaders);
  NEPH_TRY(feed_, Feed::make(*data_.train, options, context_.clock));
  options.shuffles = false;
  NEPH_TRY(test_feed_, Feed::make(*data_.test, options, context_.clock));
  learner_ = std::make_unique<Learner>(*trainer_, *feed_, context_.clock);
  if (!ranks_) return {};
  return timeline_.during(phase::prepare, [&] { return ranks_->exchange().meeting().come(); });
}

std::int64_t TrainRun::samples_of_training() const { return spec_.epochs * data_.train->size(); }

std::int64_t TrainRun::measured() const {
  return kind_ == &phase::learn ? std::ssize(learner_->steps()) - static_cast<std::int64_t>(first_measured_)
                                : 0;
}

bool TrainRun::is_over() const {
  return context_.stop.stop_requested() || (is_sampled() && measured() >= spec_.steps);
}

Status TrainRun::train(host::Telemetry& telemetry) {
  kind_ = &phase::first_step;
  for (; epoch_ <= spec_.epochs && !is_over(); ++epoch_) {
    NEPH_CHECK(learn_epoch(telemetry));
    if (is_sampled()) continue;
    NEPH_CHECK(verify_epoch());
    if (context_.finish.stop_requested()) break;
  }
  if (kind_ != &phase::learn) begin_measuring(telemetry);  // over before it was warm: nothing is measured
  measured_end_s_ = timeline_.now();
  filling_ = feed_->filling_time();
  telemetry.mark();
  if (measured() == 0)
    return fail(ErrorCode::unavailable, "{}",
                context_.stop.stop_requested() ? "stopped by the user before anything was measured"
                                               : "the whole training is one step: nothing was measured; "
                                                 "take a smaller --batch or more --epochs");
  return is_sampled() && !context_.stop.stop_requested() ? verify_slice() : Status{};
}

/// Steps until the epoch is over, or all is.
Status TrainRun::learn_epoch(host::Telemetry& telemetry) {
  feed_->begin(epoch_);
  lap_begin_s_ = timeline_.now();
  while (!is_over()) {
    NEPH_TRY(const bool learnt, step());
    if (!learnt) break;
    after_step(telemetry);
  }
  NEPH_CHECK(learner_->wait());
  look_for_nan();
  end_lap();
  return {};
}

/// Of all ranks; false: the epoch is over.
Result<bool> TrainRun::step() {
  if (!ranks_) return learner_->step(epoch_);
  if (!feed_->is_over()) ranks_->say({.task = Word::Task::step, .epoch = epoch_});
  ranks_->exchange().time_spent();
  auto learnt = learner_->step(epoch_);
  if (kind_ == &phase::learn) exchanging_ += ranks_->exchange().time_spent();
  return learnt;
}

void TrainRun::end_lap() {
  const double now_s = timeline_.now();
  timeline_.add(*kind_, lap_begin_s_, now_s);
  learn_s_ += now_s - lap_begin_s_;
  lap_begin_s_ = now_s;
  learnt_ = 0;
  for (const auto& step : learner_->steps()) learnt_ += step.items;
}

void TrainRun::after_step(host::Telemetry& telemetry) {
  look_for_nan();
  emit_progress();
  if (kind_ == &phase::learn || learner_->steps().empty()) return;
  const auto& last = learner_->steps().back();
  if (kind_ == &phase::first_step) {
    end_lap();
    kind_ = &phase::warmup;
    warmup_begin_s_ = timeline_.now();
    if (batches_of(samples_of_training(), spec_.batch) < least_steps_for_warmup) begin_measuring(telemetry);
    return;
  }
  warmup_.add(seconds(last.done - last.asked));
  if (!is_warm()) return;
  end_lap();
  begin_measuring(telemetry);
}

/// The running median of the step times is flat, or there is no more time for it.
bool TrainRun::is_warm() const {
  return warmup_.flat() || timeline_.now() - warmup_begin_s_ > spec_.warmup_max_s ||
         std::ssize(learner_->steps()) >= batches_of(samples_of_training(), spec_.batch) / 2;
}

void TrainRun::begin_measuring(host::Telemetry& telemetry) {
  if (warmup_.count() > 0 && !warmup_.flat())
    warn(
        make_warning(WarningCode::warmup_unsteady,
                     fmt::format("after {} of warm-up step times still fell or rose, or were too few to tell",
                                 format_seconds(timeline_.now() - warmup_begin_s_))));
  kind_ = &phase::learn;
  if (computes_on_its_own(*trainer_)) learner_->wait_together(waited_together_on_a_gpu);
  first_measured_ = learner_->steps().size();
  feed_->filling_time();
  telemetry.mark();
  measured_begin_s_ = timeline_.now();
}

void TrainRun::look_for_nan() {
  const auto& steps = learner_->steps();
  for (; looked_at_ < steps.size() && !has_nan_; ++looked_at_)
    if (!std::isfinite(steps[looked_at_].loss)) {
      has_nan_ = true;
      warn(make_warning(WarningCode::nan_loss,
                        fmt::format("the loss of step {} (epoch {}) is no number, and so are all that follow",
                                    looked_at_ + 1, steps[looked_at_].epoch)));
    }
}

/// Said at once, because a run that fails later has no result that could say it.
void TrainRun::warn(Warning warning) {
  context_.events.emit(warning);
  result_.warnings.push_back(std::move(warning));
}

Status TrainRun::verify_epoch() {
  if (context_.stop.stop_requested()) return {};
  const double begin_s = timeline_.now();
  NEPH_TRY(last_, verify_first(0));
  timeline_.add(phase::verify, begin_s, timeline_.now());
  verify_batch_s_.insert(verify_batch_s_.end(), last_.batch_s.begin(), last_.batch_s.end());
  if (last_.samples < data_.test->size()) return {};  // stopped
  verify_s_ += timeline_.now() - begin_s;
  ++epochs_over_;
  double loss = 0, samples = 0;
  for (auto step = learner_->steps().rbegin(); step != learner_->steps().rend() && step->epoch == epoch_;
       ++step) {
    loss += step->loss * static_cast<double>(step->items);
    samples += static_cast<double>(step->items);
  }
  const auto keep = [now_s = timeline_.now()](Series& series, double value) {
    series.at_s.push_back(now_s);
    series.values.push_back(value);
  };
  keep(train_loss_, loss / samples);
  keep(test_loss_, last_.loss);
  if (has_accuracy())
    keep(test_accuracy_, static_cast<double>(last_.correct) / static_cast<double>(last_.samples));
  tell_epoch();
  return {};
}

/// All ranks together; 0: all samples.
Result<Verification> TrainRun::verify_first(std::int64_t samples) {
  if (ranks_) ranks_->say({.task = Word::Task::verify, .samples = samples});
  auto* const meeting = ranks_ ? &ranks_->exchange().meeting() : nullptr;
  return verify_together(meeting, *trainer_, *test_feed_, samples, context_.clock, [this](std::int64_t) {
    emit_progress();
    return context_.stop.stop_requested();
  });
}

Status TrainRun::end_ranks() {
  ranks_->say({.task = Word::Task::end});
  NEPH_CHECK(trainer_->share_statistics());
  NEPH_TRY(const auto weights, trainer_->weights());
  NEPH_CHECK(check_alike(ranks_->exchange().meeting(), weights));
  return ranks_->finish();
}

void TrainRun::tell_epoch() {
  const auto every = (spec_.epochs + most_notes - 1) / most_notes;
  if (epoch_ % every != 0 && epoch_ != spec_.epochs) return;
  auto text = fmt::format("epoch {} of {}: training loss {}, test loss {}", epoch_, spec_.epochs,
                          format_number(train_loss_.values.back()), format_number(last_.loss));
  if (has_accuracy()) text += fmt::format(", test accuracy {:.1f} %", 100 * test_accuracy_.values.back());
  context_.events.emit(Note{std::move(text)});
}

/// What an epoch's verifying takes, from some of its batches.
Status TrainRun::verify_slice() {
  const auto batches = slice_batches(spec_.steps);
  const auto samples = std::min(data_.test->size(), batches * spec_.batch);
  const double begin_s = timeline_.now();
  NEPH_TRY(const auto seen, verify_first(samples));
  timeline_.add(phase::verify, begin_s, timeline_.now());
  verify_batch_s_ = seen.batch_s;
  return {};
}

Status TrainRun::save() {
  const bool is_kept = !spec_.save.empty();
  std::error_code ignored;
  const auto folder = std::filesystem::temp_directory_path(ignored);
  const std::filesystem::path path =
      is_kept ? std::filesystem::path(spec_.save)
              : (ignored ? "/tmp" : folder) / fmt::format("neph-{}-checkpoint.safetensors", ::getpid());
  NEPH_CHECK(timeline_.during(phase::save, [&]() -> Status {
    NEPH_TRY(const auto weights, trainer_->weights());
    return write_checkpoint(path, weights, network_.shapes(), network_.file);
  }));
  checkpoint_bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
  checkpoint_ = is_kept ? path.string() : "thrown away";
  if (!is_kept) std::filesystem::remove(path, ignored);
  return {};
}

double TrainRun::left_s() const {
  const auto now_s = timeline_.now();
  const auto total = samples_of_training();
  std::int64_t learnt = 0;
  for (const auto& step : learner_->steps()) learnt += step.items;
  const double sample_s =
      (learn_s_ + now_s - lap_begin_s_) / static_cast<double>(std::max<std::int64_t>(1, learnt));
  if (is_sampled()) return static_cast<double>((spec_.steps - measured()) * spec_.batch) * sample_s;
  const double epoch_verify_s = epochs_over_ > 0 ? verify_s_ / static_cast<double>(epochs_over_) : 0;
  return static_cast<double>(total - learnt) * sample_s +
         static_cast<double>(spec_.epochs - epochs_over_) * epoch_verify_s;
}

void TrainRun::emit_progress() {
  const auto now = context_.clock.now();
  if (now < next_progress_) return;
  next_progress_ = now + progress_interval;
  const auto steps = std::ssize(learner_->steps());
  const bool is_measuring = is_sampled() && kind_ == &phase::learn;
  context_.events.emit(Progress{
      is_measuring ? std::string(kind_->name) : fmt::format("epoch {} of {}, step", epoch_, spec_.epochs),
      is_measuring ? measured() : steps,
      is_measuring ? spec_.steps : spec_.epochs * batches_of(data_.train->size(), spec_.batch), left_s()});
}

}  // namespace neph::workload
