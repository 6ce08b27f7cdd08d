// What a training with a framework reads: the network's layers and weights, and its data, as files.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/values.hpp"
#include "data/data.hpp"
#include "os/file.hpp"
#include "workload/files.hpp"
#include "workload/train/extrapolation.hpp"
#include "workload/train/framework_run.hpp"

namespace neph::workload {
namespace {

namespace fs = std::filesystem;

/// Part of the names of cached files: another layout of the weights gets new files.
constexpr int weights_version = 1;
/// Of an example of made-up sequences: few, so that any network's output is long enough for them.
constexpr std::int64_t labels_of_a_sequence = 10;
constexpr std::int64_t learnt_for_one_to_verify = 4;

std::string option_text(const auto& value) { return std::string(enum_name(value)); }

/// Examples that are made up, as the file that scripts read.
Result<fs::path> synthetic_file(const data::Options& options) {
  std::string shape;
  for (const auto size : options.example_shape) shape += fmt::format("{}x", size);
  const auto path = cache_folder() / "synth" /
                    fmt::format("{}{}classes-{}labels-{}-seed{}.npz", shape, options.classes,
                                options.synth_labels, options.synth_train, options.seed);
  std::error_code absent;
  if (fs::exists(path, absent)) return path;
  NEPH_TRY(const auto arrays, data::make_synth(options));
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
  data::Options options{.synth_train = spec.synth_samples,
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
  training.settings.data_form = set.form;
  NEPH_TRY(const auto path, set.form == data::Form::synthetic ? synthetic_file(options)
                                                              : Result<fs::path>(fs::absolute(set.path)));
  training.settings.data = path.string();
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
      .data_in_files = spec.data_in == Keep::files,
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
    settings.warmup_steps = warmup_steps;
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
  settings.data_form = data::Form::synthetic;
  return training;
}

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

}  // namespace neph::workload
