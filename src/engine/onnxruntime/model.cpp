#include "engine/onnxruntime/model.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include "core/names.hpp"
#include "engine/engine_name.hpp"
#include "engine/input_shapes.hpp"
#include "engine/onnxruntime/device.hpp"
#include "engine/onnxruntime/onnx_file.hpp"
#include "engine/onnxruntime/ports.hpp"
#include "engine/onnxruntime/provider.hpp"
#include "engine/onnxruntime/session.hpp"
#include "engine/onnxruntime/source.hpp"
#include "engine/onnxruntime/zip_map.hpp"

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

/// The inputs that are to have another dimension than the file fixes.
InputShapes changes_of(const std::vector<Port>& inputs,
                       const std::vector<std::vector<std::int64_t>>& shapes) {
  InputShapes changes;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (shapes[i] != inputs[i].shape && !check_open_shape(inputs, i, shapes[i]))
      changes.emplace(inputs[i].name, shapes[i]);
  return changes;
}

/// A dimension that has one name at several inputs has one size.
Status check_symbols(const Ports& inputs) {
  std::map<std::string, std::pair<std::string, std::int64_t>>
      known;  // by the dimension's name: of which input
  for (std::size_t i = 0; i < inputs.ports.size(); ++i) {
    const auto& [name, element, shape, open_rank] = inputs.ports[i];
    for (std::size_t k = 0; k < std::min(shape.size(), inputs.symbols[i].size()); ++k) {
      const auto& symbol = inputs.symbols[i][k];
      if (symbol.empty() || shape[k] < 0) continue;
      const auto& [first, size] = known.try_emplace(symbol, name, shape[k]).first->second;
      if (size != shape[k])
        return fail(
            ErrorCode::invalid_argument,
            "inputs '{}' and '{}' share the dimension '{}', which cannot be {} of one and {} of the other; "
            "say the shapes of both",
            first, name, symbol, size, shape[k]);
    }
  }
  return {};
}

class OrtModel final : public Model {
 public:
  OrtModel(const Library& library, Source source, std::vector<std::string> notes, Ports inputs,
           std::vector<Port> outputs)
      : library_(&library),
        source_(std::move(source)),
        notes_(std::move(notes)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  const std::vector<Port>& inputs() const override { return inputs_.ports; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  std::vector<std::string> notes() const override { return notes_; }

  Result<std::unique_ptr<Session>> compile(const Options& options) override {
    auto made = compile_checked(options);
    if (!made) {
      auto error = made.error();
      error.message = fmt::format("{}: {}", source_.file, error.message);
      return tl::unexpected(std::move(error));
    }
    return made;
  }

 private:
  Result<std::unique_ptr<Session>> compile_checked(const Options& options) {
    NEPH_CHECK(check_counts(options));
    NEPH_TRY(const auto place, find_place(*library_, options.device));
    NEPH_TRY(const auto provider, find_provider(*library_, place, options.provider));
    NEPH_CHECK(check_precision(place, options.precision));
    if (options.pinning == Pinning::on)
      return fail(ErrorCode::unsupported,
                  "pinning on: ONNX Runtime's threads are not tied to cores here; use auto or off");
    NEPH_TRY(auto shapes, input_shapes(inputs_.ports, options));
    NEPH_TRY(const auto source, source_for(changes_of(inputs_.ports, shapes)));
    auto inputs = inputs_;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      inputs.ports[i].shape = std::move(shapes[i]);
      inputs.ports[i].open_rank = inputs.ports[i].open_rank && inputs.ports[i].shape.empty();
    }
    NEPH_CHECK(check_symbols(inputs));
    const EngineName name;
    return make_session(*library_, place, provider, source, std::move(inputs), options);
  }

  Result<Source> source_for(const InputShapes& changes) const {
    auto source = source_;
    if (changes.empty()) return source;
    NEPH_TRY(source.bytes, source.bytes.empty()
                               ? with_input_shapes(std::filesystem::path(source.file), changes)
                               : with_input_shapes(std::string_view(source_.bytes), changes));
    source.is_reshaped = true;
    return source;
  }

  const Library* library_;
  Source source_;
  std::vector<std::string> notes_;
  Ports inputs_;
  std::vector<Port> outputs_;
};

/// Reads the model and prepares nothing: only what it says of itself is wanted.
Ort::Session read_only(const Ort::Env& env, const Source& source) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1);
  options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  options.AddConfigEntry("session.disable_prepacking", "1");
  return read_source(env, source, options);
}

Error at_loading(const std::filesystem::path& path) {
  return explain_current("cannot load " + path.string());
}

}  // namespace

Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path,
                                          Weights weights) try {
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable))
    return fail(ErrorCode::not_found, "{} is not there", path.string());
  Source source{.file = path.string(), .weights = weights, .beside = files_beside(path, weights)};
  std::vector<std::string> notes;
  const auto of_any_rank = inputs_of_any_rank(FileBytes(path, weights).bytes());
  auto session = read_only(*library.env, source);
  auto outputs = outputs_of(session);
  if (!outputs) {
    const FileBytes file(path, weights);
    if (auto without = without_zip_maps(file.bytes())) {
      source.bytes = std::move(without->model);
      notes = std::move(without->notes);
      session = read_only(*library.env, source);
      outputs = outputs_of(session);
    }
  }
  auto inputs = inputs_of(session);
  for (const auto* ports : {&inputs, &outputs})
    if (!*ports)
      return fail(ports->error().code, "cannot load {}: {}", path.string(), ports->error().message);
  for (auto& input : inputs->ports) input.open_rank = of_any_rank.contains(input.name);
  return std::make_unique<OrtModel>(library, std::move(source), std::move(notes), std::move(*inputs),
                                    std::move(outputs->ports));
} catch (...) {
  return tl::unexpected(at_loading(path));
}

}  // namespace neph::engine::onnxruntime_plugin
