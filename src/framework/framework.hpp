// Frameworks that people train with, PyTorch and Keras: which are installed, a script that trains a network
// with one of them, as their documentation writes such a thing, and a network as PyTorch compiles it for
// inference.
//
// The script runs by itself (`python3 train.py`) and measures nothing. All frameworks get the same initial
// weights, the same batches in the same order and the same optimizer.
//
// What it does not do: start Python to train, measure, choose a framework's settings.
// Threads: pure functions but for the files they name. Ownership: plain values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/describe.hpp"
#include "data/data.hpp"
#include "engine/engine.hpp"
#include "framework/layers.hpp"

namespace neph::framework {

/// `automatic`: the first of pytorch and keras-tensorflow that is installed. `identity`: no framework, but
/// steps of known time that a file NAME.identity sets; what a measurement must find can be computed.
enum class Framework { automatic, pytorch, keras_tensorflow, keras_jax, keras_torch, identity };
constexpr auto enum_names(Framework) {
  return std::array{Named{Framework::automatic, "auto"},
                    Named{Framework::pytorch, "pytorch"},
                    Named{Framework::keras_tensorflow, "keras-tensorflow"},
                    Named{Framework::keras_jax, "keras-jax"},
                    Named{Framework::keras_torch, "keras-torch"},
                    Named{Framework::identity, "identity"}};
}
constexpr auto enum_aliases(Framework) { return std::array{Named{Framework::pytorch, "torch"}}; }

bool is_keras(Framework framework);

/// Of images in memory: [channels, height, width], or [height, width, channels]. `automatic`: nchw of
/// PyTorch, nhwc of Keras, which they take by themselves.
enum class Layout { automatic, nchw, nhwc };
constexpr auto enum_names(Layout) {
  return std::array{Named{Layout::automatic, "auto"}, Named{Layout::nchw, "nchw"},
                    Named{Layout::nhwc, "nhwc"}};
}

/// A switch that may be left to the framework.
enum class Switch { automatic, off, on };
constexpr auto enum_names(Switch) {
  return std::array{Named{Switch::automatic, "auto"}, Named{Switch::off, "off"}, Named{Switch::on, "on"}};
}

/// What a script trains, with what, and how. Names are those of `neph train`'s options.
struct Settings {
  Framework framework = Framework::pytorch;
  std::string title;  ///< the first line's: "mnist-cnn on Fashion-MNIST"
  data::Form data_form = data::Form::npz;
  std::string data;  ///< folder or file
  bool data_in_files = false;
  std::string weights;  ///< file of write_weights(); of identity the NAME.identity
  std::string save;     ///< checkpoint: .pt of PyTorch, .keras of Keras, .bin of identity
  std::int64_t train_samples = 0, test_samples = 0;  ///< of identity, which reads no data
  std::int64_t epochs = 1, steps = 0, warmup_steps = 0, test_batches = 0, batch = 128, loaders = 0, seed = 1;
  std::string device = "cpu";  ///< "cpu", "cuda", "cuda:1"
  std::string precision = "f32";
  Switch compile = Switch::automatic, fused_optimizer = Switch::automatic;
  Layout layout = Layout::automatic;
  std::string optimizer = "adam";
  double learning_rate = 0.001, momentum = 0.9, weight_decay = 0;
  bool is_ctc = false;
};

/// A network with its weights, and the layers it is written down as.
struct Model {
  net::Program program;
  Layers layers;
};
/// Errors: those of reading the file, and of layers_of().
Result<Model> read_model(const std::filesystem::path& onnx);

/// Whether the framework can do what is asked. Errors: unsupported, with what it lacks.
Status check(const Model& model, const Settings& settings);

/// The text of the script.
std::string script(const Model& model, const Settings& settings);

/// The initial weights as the script loads them, in the framework's names and layout, as a .npz. Errors:
/// those of data::write_arrays().
Status write_weights(const Model& model, const Settings& settings, const std::filesystem::path& path);

/// A framework in a Python environment.
struct Installed {
  Framework framework = Framework::pytorch;
  std::string version;  ///< "2.11.0"; of Keras "3.15.1 (tensorflow 2.21.0)"
  std::filesystem::path python;
  std::filesystem::path packages;  ///< the folder that it lies in
  /// Of Python's environment, where the packages are no part of its own.
  std::vector<std::pair<std::string, std::string>> variables{};
};

/// In the environments that engines are looked for in (engine/runtimes.hpp), then in `python3`'s. What is
/// found of `automatic` has its own name. Errors:
/// unsupported, with where it was looked for and the line that installs it.
Result<Installed> find(Framework framework);

/// That Python can import it, and that it has the device. It starts Python, which takes seconds. Errors:
/// unavailable, with Python's last line; not_found (the device).
Status try_out(const Installed& installed, const std::string& device);

/// What of the network in `onnx`, a file of net::model_file(), the runtime's engine runs: that file, or for
/// torch a package of AOTInductor (.pt2) for the runtime's kind of device and precision: in evaluation mode,
/// with the file's weights and an open batch; its input and output take and give f32. It is kept in the cache
/// folder. `notify` gets what people wait for, and then how long it took. Cost: Python and a C++ compiler
/// at work for about a minute, the first time. Errors: those of read_model() and find(); unsupported (i8);
/// unavailable (with Python's last line: no C++ compiler, no such device).
Result<std::filesystem::path> file_for_engine(std::filesystem::path onnx, const engine::Runtime& runtime,
                                              const std::function<void(std::string)>& notify);

}  // namespace neph::framework
