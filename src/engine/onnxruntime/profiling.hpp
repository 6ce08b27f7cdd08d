// The time of each layer, from the file that ONNX Runtime's profiler writes.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

/// The mean over the inferences in such a file (Chrome's trace events), in the order in which the layers ran;
/// without the first inference, in which memory is made, unless it is the only one. A layer with layers
/// inside it (Loop) has the time that is left. Errors: corrupt (no such file's text, no inference in it).
Result<std::vector<LayerTime>> read_profile(std::string_view text);

/// A session's profile, in a folder of its own until it ends. Declare it before the session: that may write
/// into the folder up to its end.
class Profiling {
 public:
  Profiling() = default;
  ~Profiling();
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

  bool is_on() const { return !folder_.empty(); }
  /// Before the session is made with the options. `shown`: it writes the model as it will run, too. Errors:
  /// io (no place for temporary files).
  Status begin(Ort::SessionOptions& options, bool shown);
  /// What it wrote; empty: nothing.
  std::filesystem::path model_as_run() const { return model_as_run_; }
  /// Ends the profile, at the first call. Errors: those of read_profile().
  Result<std::vector<LayerTime>> layers(Ort::Session& session);

 private:
  std::filesystem::path folder_, model_as_run_;
  std::optional<Result<std::vector<LayerTime>>> layers_;
};

}  // namespace neph::engine::onnxruntime_plugin
