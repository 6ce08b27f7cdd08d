#include "engine/onnxruntime/model.hpp"

#include <algorithm>
#include <system_error>

#include "core/names.hpp"
#include "engine/engine_name.hpp"
#include "engine/input_shapes.hpp"
#include "engine/onnxruntime/device.hpp"
#include "engine/onnxruntime/ports.hpp"
#include "engine/onnxruntime/session.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

Status check_precision(const Place& place, Precision precision) {
  const auto& native = place.device.precisions;
  if (precision == Precision::automatic || std::ranges::find(native, precision) != native.end()) return {};
  return fail(
      ErrorCode::unsupported,
      "precision {}: ONNX Runtime computes in what the model's file says; give a file in {}, with f32 "
      "or auto",
      enum_name(precision), enum_name(precision));
}

/// Dimensions that the file fixes are not to be changed.
Status check_fixed(const std::vector<Port>& inputs, const std::vector<std::vector<std::int64_t>>& shapes) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (auto fits = check_open_shape(inputs, i, shapes[i]); !fits && shapes[i] != inputs[i].shape)
      return fail(ErrorCode::unsupported,
                  "{}, and ONNX Runtime takes what a file fixes as it is; use that, or another engine",
                  fits.error().message);
  return {};
}

class OrtModel final : public Model {
 public:
  OrtModel(const Library& library, Ort::Env& env, std::string file, Ports inputs, std::vector<Port> outputs)
      : library_(&library),
        env_(&env),
        file_(std::move(file)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  const std::vector<Port>& inputs() const override { return inputs_.ports; }
  const std::vector<Port>& outputs() const override { return outputs_; }

  Result<std::unique_ptr<Session>> compile(const Options& options) override {
    auto made = compile_checked(options);
    if (!made) {
      auto error = made.error();
      error.message = fmt::format("{}: {}", file_, error.message);
      return tl::unexpected(std::move(error));
    }
    return made;
  }

 private:
  Result<std::unique_ptr<Session>> compile_checked(const Options& options) {
    NEPH_CHECK(check_counts(options));
    NEPH_TRY(const auto place, find_place(*library_, options.device));
    NEPH_CHECK(check_precision(place, options.precision));
    if (options.pinning == Pinning::on)
      return fail(ErrorCode::unsupported,
                  "pinning on: ONNX Runtime's threads are not tied to cores here; use auto or off");
    NEPH_TRY(auto shapes, input_shapes(inputs_.ports, options));
    NEPH_CHECK(check_fixed(inputs_.ports, shapes));
    auto inputs = inputs_;
    for (std::size_t i = 0; i < shapes.size(); ++i) inputs.ports[i].shape = std::move(shapes[i]);
    const EngineName name;
    return make_session(*library_, *env_, place, file_, std::move(inputs), options);
  }

  const Library* library_;
  Ort::Env* env_;
  std::string file_;
  Ports inputs_;
  std::vector<Port> outputs_;
};

/// Reads the model and prepares nothing: only what it says of itself is wanted.
Ort::Session read_only(Ort::Env& env, const std::filesystem::path& path) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1);
  options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  options.AddConfigEntry("session.disable_prepacking", "1");
  return Ort::Session(env, path.c_str(), options);
}

Error at_loading(const std::filesystem::path& path) {
  return explain_current("cannot load " + path.string());
}

}  // namespace

Result<std::unique_ptr<Model>> load_model(const Library& library, Ort::Env& env,
                                          const std::filesystem::path& path) try {
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable))
    return fail(ErrorCode::not_found, "{} is not there", path.string());
  const auto session = read_only(env, path);
  auto inputs = inputs_of(session);
  auto outputs = outputs_of(session);
  for (const auto* ports : {&inputs, &outputs})
    if (!*ports)
      return fail(ports->error().code, "cannot load {}: {}", path.string(), ports->error().message);
  return std::make_unique<OrtModel>(library, env, path.string(), std::move(*inputs),
                                    std::move(outputs->ports));
} catch (...) {
  return tl::unexpected(at_loading(path));
}

}  // namespace neph::engine::onnxruntime_plugin
