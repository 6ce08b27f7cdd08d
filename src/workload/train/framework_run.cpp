#include "workload/train/framework_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "core/units.hpp"
#include "core/values.hpp"
#include "os/file.hpp"
#include "os/temporary_folder.hpp"
#include "record/metrics.hpp"
#include "workload/command/run.hpp"
#include "workload/files.hpp"
#include "workload/train/extrapolation.hpp"

namespace neph::workload {
namespace {

namespace fs = std::filesystem;

class FrameworkRun {
 public:
  FrameworkRun(const TrainSpec& spec, const Context& context) : spec_(spec), context_(context) {}

  Result<RunResult> run() {
    const auto begin = context_.clock.now();
    NEPH_TRY(training_, prepare_framework(spec_));
    NEPH_TRY(const auto folder, TemporaryFolder::make());
    auto& settings = training_.settings;
    const fs::path saved =
        spec_.save.empty() ? folder.path() / ("trained" + ending()) : fs::absolute(spec_.save);
    settings.save = saved.string();
    const auto file = folder.path() / "train.py";
    NEPH_CHECK(write_file(file, framework::script(training_.model, settings)));
    NEPH_TRY(const auto command, command_of(file));
    auto context =
        context_;  // writing the script is no part of the training: the run begins later by that time
    context.origin += context_.clock.now() - begin;
    command::CommandRun measured(command, context);
    measured.hide_lines({"I0000 ", "WARNING: All log messages before absl"});  // TensorFlow's, of every start
    measured.set_known(command::Value::samples_per_step, static_cast<double>(spec_.batch));
    auto ended = measured.run();
    account_ = &measured.account();
    is_stopped_ = !ended && context_.stop.stop_requested() && std::ssize(account_->steps) > warmup_steps;
    if (!ended && !is_stopped_) return ended;
    result_ = is_stopped_ ? measured.stopped_result() : *std::move(ended);
    std::error_code absent;
    checkpoint_bytes_ = static_cast<std::int64_t>(fs::file_size(saved, absent));
    if (absent && !is_stopped_) return fail(ErrorCode::unavailable, "the training ended and saved nothing");
    sum_up();
    return std::move(result_);
  }

 private:
  std::string ending() const { return std::string(checkpoint_ending(spec_.framework)); }
  /// Some steps stand for the whole training.
  bool is_part() const { return spec_.steps > 0 || is_stopped_; }

  Result<CommandSpec> command_of(const fs::path& script) {
    NEPH_TRY(installed_, framework_of(spec_));
    CommandSpec command{.threads = spec_.threads, .telemetry_hz = spec_.telemetry_hz};
    command.command = shell_quoted(installed_.python.string()) + " " + shell_quoted(script.string());
    command.processes = ranks_of(spec_);
    std::vector<std::string> variables;
    for (const auto& [name, value] : installed_.variables) variables.push_back(name + "=" + value);
    if (training_.settings.device == "cpu") variables.emplace_back("CUDA_VISIBLE_DEVICES=");
    if (std::getenv("TF_CPP_MIN_LOG_LEVEL") == nullptr) variables.emplace_back("TF_CPP_MIN_LOG_LEVEL=2");
    for (const auto& variable : variables) command.env += (command.env.empty() ? "" : ";") + variable;
    return command;
  }

  double told(command::Value value, double otherwise) const {
    const auto found = account_->values.find(value);
    return found == account_->values.end() ? otherwise : found->second;
  }

  void drop(const Metric& metric) {
    std::erase_if(result_.figures, [&](const Figure& each) { return each.name == metric.name; });
  }
  void put(const Metric& metric, const Estimate& estimate) {
    drop(metric);
    result_.figures.push_back(figure(metric, estimate));
  }

  void sum_up() {
    train_samples_ = static_cast<std::int64_t>(told(command::Value::train_samples, 0));
    test_samples_ = static_cast<std::int64_t>(told(command::Value::test_samples, 0));
    if (is_part()) sum_up_steps();
    if (spec_.steps > 0) set(result_.facts, fact::epochs_learnt, std::int64_t{0});
    if (is_stopped_) {
      result_.warnings.push_back(
          make_warning(WarningCode::stopped_early,
                       fmt::format("stopped by the user after {}; the training's time is extrapolated",
                                   counted(account_->steps_seen, "step")),
                       "let it end, or give --steps 50"));
    } else {
      put(metric::checkpoint_bytes, {.value = static_cast<double>(checkpoint_bytes_), .n = 1});
    }
    add_facts();
  }

  /// Samples of the first steps; the last step of an epoch has those that are left.
  std::int64_t samples_until(std::int64_t steps) const {
    if (train_samples_ <= 0) return steps * spec_.batch;
    const auto of_epoch = (train_samples_ + spec_.batch - 1) / spec_.batch;
    return steps / of_epoch * train_samples_ + std::min(steps % of_epoch * spec_.batch, train_samples_);
  }

  /// The steps after the warm-up are measured; what the whole training takes follows from them.
  void sum_up_steps() {
    for (const auto& metric : {metric::train_loss, metric::test_loss, metric::test_accuracy}) drop(metric);
    const bool has_warm = !account_->steps.empty() && account_->steps.back().number > warmup_steps;
    std::vector<double> step_s;  // of full steps
    double all_s = 0;
    std::int64_t samples = 0;
    for (const auto& step : account_->steps) {
      if (has_warm && step.number <= warmup_steps) continue;
      const auto its = samples_until(step.number) - samples_until(step.number - 1);
      if (its == spec_.batch) step_s.push_back(step.time.length_s());
      all_s += step.time.length_s();
      samples += its;
    }
    if (step_s.empty()) return;
    if (!has_warm)
      result_.warnings.push_back(
          make_warning(WarningCode::few_steps,
                       fmt::format("the training has {}, no more than its warm-up of {}",
                                   counted(account_->steps_seen, "step"), warmup_steps),
                       "more --epochs, or a smaller --batch"));
    const auto of = [&](double future) { return sample_time(step_s, spec_.batch, all_s, samples, future); };
    const auto total = static_cast<double>(spec_.epochs * train_samples_);
    const auto each = of(total);
    put(metric::step_s, scaled(each, static_cast<double>(spec_.batch)));
    put(metric::samples_per_s, inverse(each));
    put(metric::epoch_s,
        scaled(of(static_cast<double>(train_samples_)), static_cast<double>(train_samples_)));
    add_training_time(each, std::ssize(step_s));
  }

  /// What was learnt until then, the steps that are left, and the verifying of each epoch. The first pass
  /// over the test data takes longer than those that follow, once.
  void add_training_time(const Estimate& sample, std::int64_t count) {
    std::vector<double> passes_s;
    double learnt_s = 0;
    for (const auto& [kind, time] : account_->phases) {
      if (kind.name == phase::verify.name) passes_s.push_back(time.length_s());
      if (kind.name == phase::first_step.name || kind.name == phase::learn.name) learnt_s += time.length_s();
    }
    if (passes_s.empty()) return;
    const double first_s = passes_s.front(), later_s = passes_s.size() > 1 ? passes_s[1] : first_s;
    const auto batches = training_.settings.test_batches;
    const auto tested = batches > 0 ? std::min(test_samples_, batches * spec_.batch) : test_samples_;
    const double verify_s = later_s * static_cast<double>(test_samples_) / static_cast<double>(tested);
    put(metric::verify_s, {.value = verify_s, .n = 1});
    const double known_s =
        learnt_s + std::max(0.0, first_s - later_s) + static_cast<double>(spec_.epochs) * verify_s;
    const auto whole =
        training_time(known_s, sample, spec_.epochs * train_samples_ - samples_until(account_->steps_seen));
    put(metric::training_s, whole);
    set(result_.facts, fact::training_time,
        fmt::format("extrapolated from {} and {} of verifying", counted(count, "step"),
                    counted((tested + spec_.batch - 1) / spec_.batch, "step")));
    if (!whole.high)
      result_.warnings.push_back(
          make_warning(WarningCode::few_steps,
                       fmt::format("{} were measured, too few for an interval of the training time",
                                   counted(count, "step"))));
  }

  void add_facts() {
    auto& facts = result_.facts;
    set(facts, fact::engine, fmt::format("{} {}", enum_name(spec_.framework), installed_.version));
    if (const auto& name = training_.model.program.name; !name.empty()) set(facts, fact::network, name);
    set(facts, fact::model_file, training_.model_file.string());
    if (const auto hash = content_hash(files_of_model(training_.model_file)); !hash.empty())
      set(facts, fact::model_hash, hash);
    set(facts, fact::data,
        fmt::format("{} ({})", training_.data_name, enum_name(training_.settings.data_form)));
    if (train_samples_ > 0) {
      set(facts, fact::train_samples, train_samples_);
      set(facts, fact::test_samples, test_samples_);
      set(facts, fact::steps_per_epoch, (train_samples_ + spec_.batch - 1) / spec_.batch);
    }
    std::int64_t parameters = 0;
    for (const auto& layer : training_.model.layers.all)
      for (std::size_t i = 0; i < layer.stored.size(); ++i) {
        const bool is_statistic = std::holds_alternative<framework::BatchNorm>(layer.kind) && i >= 2;
        if (is_statistic) continue;
        const auto& tensor = training_.model.program.tensors.at(layer.stored[i]);
        parameters += std::ssize(tensor.floats);
      }
    if (parameters > 0) set(facts, fact::parameters, parameters);
    set(facts, fact::optimizer, std::string(enum_name(spec_.optimizer)));
    set(facts, fact::learning_rate, format_number(spec_.learning_rate));
    set(facts, fact::device, training_.settings.device);
    set(facts, fact::precision, training_.settings.precision);
    if (!is_part()) set(facts, fact::training_time, std::string("measured"));
    if (!is_stopped_) set(facts, fact::checkpoint, spec_.save.empty() ? "thrown away" : spec_.save);
  }

  const TrainSpec& spec_;
  const Context& context_;
  FrameworkTraining training_;
  framework::Installed installed_;
  RunResult result_;
  const command::Account* account_ = nullptr;
  bool is_stopped_ = false;
  std::int64_t checkpoint_bytes_ = 0, train_samples_ = 0, test_samples_ = 0;
};

}  // namespace

Result<framework::Installed> framework_of(const TrainSpec& spec) {
  if (spec.in == In::docker) return framework::Installed{.framework = spec.framework, .python = "python3"};
  return framework::find(spec.framework);
}

Result<RunResult> run_framework(const TrainSpec& spec, const Context& context) {
  return FrameworkRun(spec, context).run();
}

}  // namespace neph::workload
