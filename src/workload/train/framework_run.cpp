#include "workload/train/framework_run.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "core/units.hpp"
#include "core/values.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"
#include "os/temporary_folder.hpp"
#include "record/metrics.hpp"
#include "workload/command/run.hpp"
#include "workload/files.hpp"
#include "workload/train/extrapolation.hpp"

namespace neph::workload {
namespace {

namespace fs = std::filesystem;

using framework::DataForm;

/// Part of the names of cached files: another layout of the weights gets new files.
constexpr int weights_version = 1;
/// Of an example of made-up sequences: few, so that any network's output is long enough for them.
constexpr std::int64_t labels_of_a_sequence = 10;
constexpr std::int64_t learnt_for_one_to_verify = 4;

std::string option_text(const auto& value) { return std::string(enum_name(value)); }

DataForm form_of(const std::string& name) {
  if (name == "IDX") return DataForm::idx;
  if (name == "CIFAR-10 binary") return DataForm::cifar;
  if (name == "npz" || name == "synthetic") return DataForm::npz;
  return DataForm::images;
}

Result<data::Array> labels_and_examples(const data::Split& split, std::int64_t values,
                                        const std::vector<std::int64_t>& shape, data::Array& labels) {
  const auto count = split.size(), each = split.labels_per_example();
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = i;
  data::Array inputs{.shape = shape};
  inputs.shape.insert(inputs.shape.begin(), count);
  inputs.bytes.resize(static_cast<std::size_t>(count * values) * sizeof(float));
  labels.kind = 'i';
  labels.width = sizeof(std::int64_t);
  labels.shape = each == 1 ? std::vector{count} : std::vector{count, each};
  labels.bytes.resize(static_cast<std::size_t>(count * each) * sizeof(std::int64_t));
  NEPH_CHECK(split.fill(
      rows, {reinterpret_cast<float*>(inputs.bytes.data()), inputs.bytes.size() / sizeof(float)},
      {reinterpret_cast<std::int64_t*>(labels.bytes.data()), labels.bytes.size() / sizeof(std::int64_t)}));
  return inputs;
}

/// Examples that are made up, as the file that scripts read.
Result<fs::path> synthetic_file(const data::Options& options) {
  std::string shape;
  for (const auto size : options.example_shape) shape += fmt::format("{}x", size);
  const auto path = cache_folder() / "synth" /
                    fmt::format("{}{}classes-{}labels-{}-seed{}.npz", shape, options.classes,
                                options.synth_labels, options.synth_train, options.seed);
  std::error_code absent;
  if (fs::exists(path, absent)) return path;
  NEPH_TRY(const auto set, data::open("synth", options));
  std::int64_t values = 1;
  for (const auto size : options.example_shape) values *= size;
  std::vector<data::Array> arrays;
  for (const auto& [half, split] : {std::pair{"train", set.train.get()}, {"test", set.test.get()}}) {
    data::Array labels;
    NEPH_TRY(auto inputs, labels_and_examples(*split, values, options.example_shape, labels));
    inputs.name = fmt::format("x_{}", half);
    labels.name = fmt::format("y_{}", half);
    arrays.push_back(std::move(inputs));
    arrays.push_back(std::move(labels));
  }
  NEPH_CHECK(make_cache_folder(path.parent_path()));
  NEPH_CHECK(data::write_arrays(path, arrays));
  return path;
}

/// The network's output is a sequence, [steps, batch, classes] or [batch, steps, classes], and nothing else
/// was chosen.
bool is_by_ctc(const TrainSpec& spec, const net::Program& program) {
  if (spec.loss != Loss::automatic) return spec.loss == Loss::ctc;
  return !program.outputs.empty() && program.outputs[0].shape.size() == 3;
}

std::int64_t verified_of_synth(const TrainSpec& spec) {
  return std::max<std::int64_t>(1, spec.synth_samples / learnt_for_one_to_verify);
}

/// The shape and the classes are the network's, as far as its file says them.
data::Options data_options(const TrainSpec& spec, const net::Program& program) {
  data::Options options{.keep = spec.data_in,
                        .synth_train = spec.synth_samples,
                        .synth_test = verified_of_synth(spec),
                        .seed = static_cast<std::uint64_t>(spec.train_seed)};
  if (is_by_ctc(spec, program)) options.synth_labels = labels_of_a_sequence;
  if (program.inputs.empty() || program.outputs.empty()) return options;
  const auto& input = program.inputs[0].shape;
  const auto& output = program.outputs[0].shape;
  if (input.size() > 1) options.example_shape.assign(input.begin() + 1, input.end());
  if (!output.empty()) options.classes = output.back();
  return options;
}

Status prepare_data(const TrainSpec& spec, FrameworkTraining& training) {
  const auto options = data_options(spec, training.model.program);
  NEPH_TRY(const auto set, data::look(spec.data, options));
  training.data_name = set.name;
  training.data_form = set.form;
  auto& settings = training.settings;
  settings.data_form = form_of(set.form);
  if (set.form == "synthetic") {
    NEPH_TRY(const auto path, synthetic_file(options));
    settings.data = path.string();
  } else {
    NEPH_TRY(const auto place, data::locate(spec.data));
    settings.data = fs::absolute(place.path).string();
  }
  return {};
}

/// In the cache: a network's beside its file, those of a file of the user's by its content.
Result<fs::path> weights_file(const FrameworkTraining& training) {
  const auto folder = cache_folder() / "models";
  auto stem = training.model_file.stem().string();
  if (training.model_file.parent_path() != folder)
    stem += "-" + content_hash(files_of_model(training.model_file));
  const bool keras = framework::is_keras(training.settings.framework);
  const bool is_first = training.settings.layout == framework::Layout::nchw;
  const auto path = folder / fmt::format("{}.{}-v{}.npz", stem,
                                         !keras     ? "pytorch"
                                         : is_first ? "keras-nchw"
                                                    : "keras",
                                         weights_version);
  std::error_code absent;
  if (fs::exists(path, absent)) return path;
  NEPH_CHECK(make_cache_folder(folder));
  NEPH_CHECK(framework::write_weights(training.model, training.settings, path));
  return path;
}

framework::Settings settings_of(const TrainSpec& spec) {
  framework::Settings settings{
      .framework = spec.framework,
      .data_in_files = spec.data_in == data::Keep::files,
      .epochs = spec.epochs,
      .batch = spec.batch,
      .loaders = std::max<std::int64_t>(0, spec.loaders),
      .seed = spec.train_seed,
      .device = in_small_letters(spec.device),
      .precision = spec.precision == engine::Precision::automatic ? "f32" : option_text(spec.precision),
      .compile = spec.compile,
      .fused_optimizer = spec.fused_optimizer,
      .layout = spec.layout,
      .optimizer = option_text(spec.optimizer),
      .learning_rate = spec.learning_rate,
      .momentum = spec.momentum,
      .weight_decay = spec.weight_decay};
  if (spec.steps > 0) {
    settings.steps = warmup_steps + spec.steps;
    settings.test_batches = slice_batches(spec.steps);
  }
  return settings;
}

constexpr std::string_view identity_ending = ".identity";
bool is_identity(const TrainSpec& spec) { return spec.framework == framework::Framework::identity; }

/// Steps of known time read no data, and have no layers.
Result<FrameworkTraining> known_training(const TrainSpec& spec, FrameworkTraining training) {
  if (training.model_file.extension() != identity_ending)
    return fail(ErrorCode::unsupported, "{}: steps of known time are those of a file NAME.identity",
                spec.model);
  if (spec.data != "synth")
    return fail(ErrorCode::unsupported, "--data {}: steps of known time read no data; give --data synth",
                spec.data);
  auto& settings = training.settings;
  settings.weights = fs::absolute(training.model_file).string();
  settings.train_samples = spec.synth_samples;
  settings.test_samples = verified_of_synth(spec);
  settings.title = fmt::format("{} on {}", training.model_file.stem().string(), spec.data);
  training.data_name = spec.data;
  training.data_form = "synthetic";
  return training;
}

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
    auto words = shell_quoted(installed_.python.string());
    if (const auto ranks = ranks_of(spec_); ranks > 1)
      words += fmt::format(" -m torch.distributed.run --standalone --nproc-per-node {}", ranks);
    command.command = words + " " + shell_quoted(script.string());
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
    if (const auto ranks = ranks_of(spec_), cores = usable_cores(); spec_.gpus <= 1 && ranks > cores)
      result_.warnings.push_back(make_warning(
          WarningCode::fewer_cores, fmt::format("{} processes share {}", ranks, counted(cores, "core"))));
    add_facts();
  }

  /// The last steps are measured; what the whole training takes follows from them.
  void sum_up_steps() {
    for (const auto& metric : {metric::train_loss, metric::test_loss, metric::test_accuracy}) drop(metric);
    std::vector<double> step_s;
    for (const auto& step : account_->steps) step_s.push_back(step.time.length_s());
    const auto begin =
        is_stopped_ ? warmup_steps : std::max<std::int64_t>(0, std::ssize(step_s) - spec_.steps);
    step_s.erase(step_s.begin(), step_s.begin() + begin);
    if (step_s.empty()) return;
    const double all_s = std::accumulate(step_s.begin(), step_s.end(), 0.0);
    const auto samples = std::ssize(step_s) * spec_.batch;
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
        training_time(known_s, sample, spec_.epochs * train_samples_ - account_->steps_seen * spec_.batch);
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
    if (!is_identity(spec_)) set(facts, fact::network, training_.model.program.name);
    set(facts, fact::model_file, training_.model_file.string());
    if (const auto hash = content_hash(files_of_model(training_.model_file)); !hash.empty())
      set(facts, fact::model_hash, hash);
    set(facts, fact::data, fmt::format("{} ({})", training_.data_name, training_.data_form));
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
    if (ranks_of(spec_) > 1) set(facts, fact::processes, ranks_of(spec_));
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

std::string in_small_letters(std::string device) {
  std::ranges::transform(device, device.begin(), [](unsigned char c) { return std::tolower(c); });
  return device;
}

std::string_view checkpoint_ending(framework::Framework framework) {
  if (framework == framework::Framework::identity) return ".bin";
  return framework::is_keras(framework) ? ".keras" : ".pt";
}

Result<TrainSpec> with_framework(TrainSpec spec) {
  using framework::Framework;
  if (spec.framework != Framework::automatic) return spec;
  if (fs::path(spec.model).extension() == identity_ending) {
    spec.framework = Framework::identity;
  } else if (spec.in == In::docker) {
    spec.framework = Framework::pytorch;
  } else {
    NEPH_TRY(const auto found, framework::find(Framework::automatic));
    spec.framework = found.framework;
  }
  return spec;
}

Result<FrameworkTraining> prepare_framework(const TrainSpec& spec) {
  FrameworkTraining training;
  training.settings = settings_of(spec);
  NEPH_TRY(training.model_file, net::model_file(spec.model, spec.network, spec.train_seed));
  if (is_identity(spec)) return known_training(spec, std::move(training));
  NEPH_TRY(training.model, framework::read_model(training.model_file));
  training.settings.is_ctc = is_by_ctc(spec, training.model.program);
  NEPH_CHECK(framework::check(training.model, training.settings));
  NEPH_CHECK(prepare_data(spec, training));
  training.settings.title = fmt::format("{} on {}", training.model.program.name, training.data_name);
  NEPH_TRY(const auto weights, weights_file(training));
  training.settings.weights = weights.string();
  return training;
}

Result<framework::Installed> framework_of(const TrainSpec& spec) {
  if (spec.in == In::docker) return framework::Installed{.framework = spec.framework, .python = "python3"};
  return framework::find(spec.framework);
}

Result<RunResult> run_framework(const TrainSpec& spec, const Context& context) {
  return FrameworkRun(spec, context).run();
}

}  // namespace neph::workload
