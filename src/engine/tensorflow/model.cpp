#include "engine/tensorflow/model.hpp"

#include <system_error>

#include "core/names.hpp"
#include "engine/engine_name.hpp"
#include "engine/hardware.hpp"
#include "engine/input_shapes.hpp"
#include "engine/named_place.hpp"
#include "engine/tensorflow/graph.hpp"
#include "engine/tensorflow/session.hpp"
#include "os/file.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* saved_model_file = "saved_model.pb";

Status check_options(const Options& options) {
  NEPH_CHECK(check_counts(options));
  NEPH_CHECK(check_no_provider(options));
  NEPH_CHECK(check_no_spinning(options));
  NEPH_CHECK(find_device(options.device));
  if (options.pinning == Pinning::on)
    return fail(ErrorCode::unsupported,
                "pinning on: TensorFlow does not tie its threads to cores; use auto or off");
  if (options.precision == Precision::automatic || options.precision == Precision::f32) return {};
  return fail(ErrorCode::unsupported,
              "precision {}: TensorFlow computes in what the model's file says; use f32 or auto",
              enum_name(options.precision));
}

class TfModel final : public Model {
 public:
  /// `graph`: of a frozen graph; a SavedModel's is read anew for each session.
  TfModel(const Library& library, fs::path path, Signature signature, SharedGraph graph)
      : library_(&library),
        path_(std::move(path)),
        signature_(std::move(signature)),
        graph_(std::move(graph)) {}

  const std::vector<Port>& inputs() const override { return signature_.inputs.ports; }
  const std::vector<Port>& outputs() const override { return signature_.outputs.ports; }

  Result<std::unique_ptr<Session>> compile(const Options& options) override {
    auto made = compile_checked(options);
    if (!made) return fail_in(path_.string(), std::move(made.error()));
    return made;
  }

 private:
  Result<std::unique_ptr<Session>> compile_checked(const Options& options) {
    NEPH_CHECK(check_options(options));
    auto inputs = signature_.inputs.ports;
    NEPH_TRY(auto shapes, input_shapes(inputs, options));
    NEPH_CHECK(check_fixed_shapes(inputs, shapes, options, "TensorFlow"));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      inputs[i].shape = std::move(shapes[i]);
      inputs[i].open_rank = inputs[i].open_rank && inputs[i].shape.empty();
    }
    const EngineName name;
    return make_session(*library_, std::move(inputs), outputs(), options,
                        [this](const ThreadCounts& threads) { return load(threads); });
  }

  Result<Loaded> load(const ThreadCounts& threads) const {
    const auto& api = library_->api;
    auto graph = graph_ ? graph_ : make_graph(api);
    NEPH_TRY(auto session, graph_ ? open_session(api, graph, threads)
                                  : open_saved_model(api, graph, path_.string(), signature_.tags, threads));
    NEPH_TRY(auto inputs, find_tensors(api, graph.get(), signature_.inputs));
    NEPH_TRY(auto outputs, find_tensors(api, graph.get(), signature_.outputs));
    return Loaded{std::move(session), std::move(inputs), std::move(outputs)};
  }

  const Library* library_;
  fs::path path_;
  Signature signature_;
  SharedGraph graph_;
};

Result<std::unique_ptr<Model>> load_saved_model(const Library& library, const fs::path& folder) {
  NEPH_TRY(const auto bytes, read_regular_file(folder / saved_model_file));
  NEPH_TRY(auto signature, read_saved_model(bytes));
  return std::make_unique<TfModel>(library, folder, std::move(signature), nullptr);
}

Result<std::unique_ptr<Model>> load_frozen_graph(const Library& library, const fs::path& file) {
  if (file.extension() != ".pb")
    return fail(ErrorCode::unsupported,
                "TensorFlow reads frozen graphs (.pb) and folders with a SavedModel; see neph engines");
  NEPH_TRY(const auto bytes, read_regular_file(file));
  NEPH_TRY(const auto names, read_frozen_graph(bytes));
  const auto& api = library.api;
  NEPH_TRY(auto graph, import_graph(api, bytes));
  Signature signature;
  NEPH_TRY(signature.inputs, ends_in(api, graph.get(), tensors_of(api, graph.get(), names.placeholders)));
  NEPH_TRY(signature.outputs, ends_in(api, graph.get(), tensors_of(api, graph.get(), names.unread)));
  if (signature.outputs.ports.empty()) return fail(ErrorCode::unsupported, "its graph has no output");
  return std::make_unique<TfModel>(library, file, std::move(signature), std::move(graph));
}

struct Place {
  Device device;
};

}  // namespace

Result<Device> find_device(const std::string& name) {
  const Result<std::vector<Place>> gpus =
      fail(ErrorCode::unsupported,
           "neph runs TensorFlow on CPUs only; --engine onnxruntime and torch run on GPUs");
  Place cpu{
      {.name = "CPU", .description = processor_name(), .precisions = {Precision::f32}, .providers = {}}};
  NEPH_TRY(auto place, named_place<Place>({std::move(cpu)}, gpus, name, "TensorFlow"));
  return std::move(place.device);
}

Result<std::unique_ptr<Model>> load_model(const Library& library, const fs::path& path) {
  std::error_code absent;
  if (!fs::exists(path, absent)) return fail(ErrorCode::not_found, "{} does not exist", path.string());
  const bool is_folder = fs::is_directory(path, absent);
  auto model = is_folder ? load_saved_model(library, path)
               : path.filename() == saved_model_file
                   ? load_saved_model(library, fs::absolute(path).parent_path())
                   : load_frozen_graph(library, path);
  if (!model) return fail_in("cannot load " + path.string(), std::move(model.error()));
  return model;
}

}  // namespace neph::engine::tensorflow_plugin
