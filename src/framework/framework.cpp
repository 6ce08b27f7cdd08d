#include "framework/framework.hpp"

#include <cstring>
#include <set>

#include <fmt/ranges.h>

#include "core/embedded.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "framework/writers.hpp"

// src/framework/scripts/*.py, by cmake/EmbedFolder.cmake
extern const char neph_framework_scripts[], neph_framework_scripts_end[];

namespace neph::framework {
namespace {

/// The part of a script that reads the data: scripts/NAME.py.
std::string_view reader_of(const Settings& settings) {
  constexpr std::string_view of_form[]{"idx", "cifar", "npz", "images", "images", "npz"};
  return of_form[static_cast<std::size_t>(settings.data_form)];
}

std::string truth(bool value) { return value ? "True" : "False"; }

bool is_channels_first(const Settings& settings) {
  if (settings.layout != Layout::automatic) return settings.layout == Layout::nchw;
  return !is_keras(settings.framework);
}

/// PyTorch compiles nothing unless it is asked to; Keras where the model can be compiled.
std::string compile_of(const Settings& settings) {
  if (is_keras(settings.framework) && settings.compile == Switch::automatic) return "\"auto\"";
  return truth(settings.compile == Switch::on);
}

/// Of Python's own modules.
std::string imports(std::string_view reader) {
  std::set<std::string> modules{"contextlib", "json", "math", "os"};
  if (reader == "idx") modules.insert("gzip");
  if (reader == "images") modules.insert("io");
  if (reader == "images" || reader == "cifar") modules.insert("tarfile");
  return fmt::format("import {}\n{}", fmt::join(modules, "\nimport "),
                     reader == "npz" ? "" : "from pathlib import Path\n");
}

class SettingsText {
 public:
  void add(std::string_view name, const std::string& value, std::string_view comment = {}) {
    text += fmt::format("{} = {}{}{}\n", name, value, comment.empty() ? "" : "  # ", comment);
  }
  std::string text;
};

std::string settings_text(const Model& model, const Settings& settings) {
  SettingsText out;
  const bool keras = is_keras(settings.framework);
  if (keras) {
    const std::string name(enum_name(settings.framework));
    out.add("BACKEND", quoted(name.substr(name.find('-') + 1)));
  }
  out.add("DATA", quoted(settings.data));
  if (reader_of(settings) == "images")
    out.add("DATA_IN_FILES", truth(settings.data_in_files), "decode images each time they are used");
  out.add("EXAMPLE", tuple(model.layers.example),
          model.layers.example.size() == 3 ? "channels, height, width" : "");
  out.add("CLASSES", std::to_string(model.program.outputs.front().shape.back()), "outputs of the network");
  out.add("WEIGHTS", quoted(settings.weights), "the initial weights");
  out.add("SAVE", quoted(settings.save));
  out.add("EPOCHS", std::to_string(settings.epochs));
  out.add("STEPS", std::to_string(settings.steps), "end after so many; 0: with the last epoch");
  if (!keras) out.add("WARMUP", std::to_string(settings.warmup_steps), "of these");
  out.add("TEST_BATCHES", std::to_string(settings.test_batches), "test with so many; 0: with all");
  out.add("BATCH", std::to_string(settings.batch));
  out.add("LOADERS", std::to_string(settings.loaders),
          keras ? "threads that make batches" : "processes that make batches; 0: none beside this one");
  out.add("SEED", std::to_string(settings.seed));
  out.add("LOG_EVERY", "0", "print the loss after so many steps; 0: only after each epoch");
  out.add("DEVICE", quoted(settings.device), keras ? "cpu, or a GPU: cuda, cuda:1" : "");
  out.add("PRECISION", quoted(settings.precision));
  out.add("COMPILE", compile_of(settings));
  out.add(keras ? "CHANNELS_FIRST" : "CHANNELS_LAST", truth(keras == is_channels_first(settings)));
  if (!keras)
    out.add("FUSED", settings.fused_optimizer == Switch::automatic
                         ? "None"
                         : truth(settings.fused_optimizer == Switch::on));
  out.add("OPTIMIZER", quoted(settings.optimizer));
  out.add("LEARNING_RATE", number(settings.learning_rate));
  out.add("MOMENTUM", number(settings.momentum), "of sgd");
  out.add("WEIGHT_DECAY", number(settings.weight_decay));
  out.add("LOSS", quoted(settings.is_ctc ? "ctc" : "cross-entropy"));
  return out.text;
}

std::string identity_settings(const Settings& settings) {
  SettingsText out;
  out.add("MODEL", quoted(settings.weights));
  out.add("SAVE", quoted(settings.save));
  out.add("TRAIN_SAMPLES", std::to_string(settings.train_samples));
  out.add("TEST_SAMPLES", std::to_string(settings.test_samples));
  out.add("EPOCHS", std::to_string(settings.epochs));
  out.add("STEPS", std::to_string(settings.steps), "end after so many; 0: with the last epoch");
  out.add("TEST_BATCHES", std::to_string(settings.test_batches), "test with so many; 0: with all");
  out.add("BATCH", std::to_string(settings.batch));
  out.add("SEED", std::to_string(settings.seed));
  return out.text;
}

}  // namespace

bool is_keras(Framework framework) {
  return framework == Framework::keras_tensorflow || framework == Framework::keras_jax ||
         framework == Framework::keras_torch;
}

Result<Model> read_model(const std::filesystem::path& onnx) {
  Model model;
  NEPH_TRY(model.program, net::read_program(onnx));
  NEPH_TRY(const auto shapes, net::read_onnx(onnx));
  auto layers = layers_of(model.program, shapes);
  if (!layers) {
    layers.error().message = fmt::format("{}: {}", onnx.string(), layers.error().message);
    return tl::unexpected(layers.error());
  }
  model.layers = std::move(*layers);
  return model;
}

Status check(const Model& model, const Settings& settings) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::unsupported, "{}: {}", enum_name(settings.framework), what);
  };
  if (!is_keras(settings.framework)) return {};
  if (settings.fused_optimizer != Switch::automatic)
    return refuse("Keras has no fused optimizer to choose; leave --fused-optimizer out");
  if (settings.loaders > 1 && settings.framework != Framework::keras_tensorflow)
    return refuse("with several --loaders Keras mixes up the order of batches on this backend; leave it out");
  if (settings.optimizer == "sgd" && settings.weight_decay > 0)
    return refuse("--weight-decay with sgd is not PyTorch's in Keras (it is not part of the momentum)");
  if (settings.framework == Framework::keras_tensorflow && settings.device == "cpu" &&
      settings.layout == Layout::nchw)
    return refuse("TensorFlow has no convolution with --layout nchw on CPUs");
  for (const auto& layer : model.layers.all)
    if (const auto* pool = std::get_if<Pooling>(&layer.kind))
      if (!pool->is_maximum && pool->window.is_padded() && !is_same(pool->window))
        return refuse(
            fmt::format("layer '{}': AveragePooling2D with this padding is not in Keras", layer.name));
  return {};
}

std::string script(const Model& model, const Settings& settings) {
  const bool keras = is_keras(settings.framework);
  const bool is_identity = settings.framework == Framework::identity;
  const auto head = fmt::format(
      "# Trains {} with {}.\n# Written by `neph train --framework {} --print-script`; it runs without "
      "neph.\n",
      printable(settings.title),
      keras         ? "Keras"
      : is_identity ? "steps of known time"
                    : "PyTorch",
      enum_name(settings.framework));
  if (is_identity)
    return filled(
        script_part("identity"),
        {{"head", head}, {"settings", identity_settings(settings)}, {"events", script_part("events")}});
  const auto reader = reader_of(settings);
  const auto network =
      keras ? keras_network(model.layers, is_channels_first(settings)) : pytorch_network(model.layers);
  return filled(script_part(keras ? "keras" : "pytorch"),
                {{"head", head},
                 {"imports", imports(reader)},
                 {"image imports", reader == "images" ? "from PIL import Image, ImageOps\n" : ""},
                 {"settings", settings_text(model, settings)},
                 {"network", network},
                 {"events", script_part("events")},
                 {"data", script_part(reader)}});
}

Status write_weights(const Model& model, const Settings& settings, const std::filesystem::path& path) {
  return data::write_arrays(path, is_keras(settings.framework)
                                      ? keras_weights(model, is_channels_first(settings))
                                      : pytorch_weights(model));
}

const std::string& script_part(std::string_view name) {
  static const auto files = embedded_files({neph_framework_scripts, neph_framework_scripts_end});
  return files.find(name)->second;
}

std::string quoted(const std::string& text) { return dump_json(Json(text)); }

std::string tuple(const std::vector<std::int64_t>& sizes) {
  return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

data::Array array(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
  data::Array made{.name = std::move(name), .shape = std::move(shape)};
  made.bytes.resize(values.size() * sizeof(float));
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}

std::vector<float> rearranged(const std::vector<float>& values, const std::vector<std::int64_t>& shape,
                              const std::vector<std::size_t>& order) {
  std::vector<std::size_t> sizes, strides(shape.size(), 1);
  for (auto i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * static_cast<std::size_t>(shape[i]);
  for (const auto from : order) sizes.push_back(static_cast<std::size_t>(shape[from]));
  std::vector<std::size_t> at(order.size(), 0);
  std::vector<float> out;
  out.reserve(values.size());
  while (out.size() < values.size()) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < order.size(); ++i) place += at[i] * strides[order[i]];
    out.push_back(values[place]);
    for (auto i = order.size(); i-- > 0;) {
      if (++at[i] < sizes[i]) break;
      at[i] = 0;
    }
  }
  return out;
}

}  // namespace neph::framework
