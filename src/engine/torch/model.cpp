#include "engine/torch/model.hpp"

#include <algorithm>
#include <system_error>

#include "core/names.hpp"
#include "engine/engine_name.hpp"
#include "engine/hardware.hpp"
#include "engine/input_shapes.hpp"
#include "engine/torch/compiled.hpp"
#include "engine/torch/session.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// A package that does not say what it computes in is taken for what is asked.
Status check_precision(const Description& package, Precision asked) {
  if (asked == Precision::automatic || package.precision.empty() || package.precision == enum_name(asked))
    return {};
  return fail(ErrorCode::unsupported,
              "precision {}: the package computes in {}; export it in the other, or use auto",
              enum_name(asked), package.precision);
}

Status check_device(const Description& package, const Place& place) {
  if (is_cuda(place.device.name) == (package.device == "cuda")) return {};
  return fail(ErrorCode::unsupported, "the package is compiled for {}, and cannot run on {}",
              package.device == "cuda"  ? "CUDA"
              : package.device == "cpu" ? "CPU"
                                        : package.device,
              place.device.name);
}

class TorchModel final : public Model {
 public:
  TorchModel(const Library& library, std::string file, Package package,
             std::shared_ptr<CompiledLibrary> compiled)
      : library_(&library),
        file_(std::move(file)),
        package_(std::move(package)),
        compiled_(std::move(compiled)) {}

  const std::vector<Port>& inputs() const override { return package_.description.inputs; }
  const std::vector<Port>& outputs() const override { return package_.description.outputs; }

  Result<std::unique_ptr<Session>> compile(const Options& options) override {
    auto made = compile_checked(options);
    if (!made) return fail_in(file_, std::move(made.error()));
    return made;
  }

 private:
  Result<std::unique_ptr<Session>> compile_checked(const Options& options) {
    NEPH_CHECK(check_counts(options));
    NEPH_CHECK(check_no_provider(options));
    NEPH_CHECK(check_no_spinning(
        options, "threads of torch are OpenMP's: OMP_WAIT_POLICY=active or passive in the environment"));
    if (options.pinning == Pinning::on)
      return fail(ErrorCode::unsupported, "pinning on: torch ties no threads to cores; use auto or off");
    NEPH_TRY(const auto place, find_place(*library_, options.device));
    NEPH_CHECK(check_device(package_.description, place));
    NEPH_CHECK(check_precision(package_.description, options.precision));
    auto ports = inputs();
    NEPH_TRY(auto shapes, input_shapes(ports, options));
    NEPH_CHECK(check_fixed_shapes(ports, shapes, options, "torch"));
    for (std::size_t i = 0; i < ports.size(); ++i) ports[i].shape = std::move(shapes[i]);
    const EngineName name;
    return make_session(*library_, place, package_, compiled_, std::move(ports), options);
  }

  const Library* library_;
  std::string file_;
  Package package_;  ///< outlives the library, which reads weights from its folder
  std::shared_ptr<CompiledLibrary> compiled_;
};

Result<std::unique_ptr<Model>> load_package(const Library& library, const std::filesystem::path& path) {
  if (path.extension() == ".onnx")
    return fail(ErrorCode::unsupported,
                "torch runs packages of AOTInductor (.pt2); --engine openvino and onnxruntime run .onnx");
  if (path.extension() != ".pt2")
    return fail(ErrorCode::unsupported, "torch runs packages of AOTInductor (.pt2); see neph engines");
  NEPH_TRY(auto package, open_package(path));
  const auto& described = package.description;
  if (const auto lacking = lacking_instructions(described.instructions, processor_line("flags"));
      !lacking.empty())
    return fail(ErrorCode::unsupported,
                "it was compiled for a processor with {}, which {} lacks; export it "
                "here",
                lacking, processor_name());
  if (described.device == "cuda" && !library.no_cuda.empty())
    return fail(ErrorCode::unsupported, "the package is compiled for CUDA, and cannot run here: {}",
                library.no_cuda);
  NEPH_TRY(auto compiled, CompiledLibrary::open(library, package));
  return std::make_unique<TorchModel>(library, path.string(), std::move(package), std::move(compiled));
}

}  // namespace

Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent))
    return fail(ErrorCode::not_found, "{} does not exist", path.string());
  auto model = load_package(library, path);
  if (!model) return fail_in("cannot load " + path.string(), std::move(model.error()));
  return model;
}

}  // namespace neph::engine::torch_plugin
