#include "engine/engine.hpp"

#include <openvino/frontend/manager.hpp>
#include <openvino/runtime/core.hpp>
#include <openvino/runtime/properties.hpp>

#include "core/names.hpp"
#include "engine/openvino/batch.hpp"
#include "engine/openvino/device.hpp"
#include "engine/openvino/error_text.hpp"
#include "engine/openvino/facts.hpp"
#include "engine/openvino/model_file.hpp"
#include "engine/openvino/port.hpp"
#include "engine/openvino/session.hpp"

namespace neph::engine {
namespace {

ov::AnyMap properties_of(const Options& options) {
  ov::AnyMap properties{ov::hint::performance_mode(options.hint == Hint::latency
                                                       ? ov::hint::PerformanceMode::LATENCY
                                                       : ov::hint::PerformanceMode::THROUGHPUT)};
  // i8 is the model's own: what is not quantised in it runs in the default precision.
  if (options.precision == Precision::f32) properties.insert(ov::hint::inference_precision(ov::element::f32));
  if (options.precision == Precision::bf16)
    properties.insert(ov::hint::inference_precision(ov::element::bf16));
  if (options.precision == Precision::f16) properties.insert(ov::hint::inference_precision(ov::element::f16));
  if (options.threads > 0) properties.insert(ov::inference_num_threads(static_cast<int>(options.threads)));
  if (options.streams > 0) properties.insert(ov::num_streams(static_cast<int>(options.streams)));
  if (options.pinning != Pinning::automatic)
    properties.insert(ov::hint::enable_cpu_pinning(options.pinning == Pinning::on));
  return properties;
}

Status check_count(const char* what, std::int64_t count) {
  if (count >= 0 && count <= 65'536) return {};
  return fail(ErrorCode::invalid_argument, "{} {}: it must be between 0 (the engine chooses) and 65536", what,
              count);
}

Result<Device> find_device(ov::Core& core, const std::string& name) {
  try {
    return describe_device(core, name);
  } catch (const std::exception&) {
    return fail(ErrorCode::not_found, "{}",
                unknown_name("device", name, core.get_available_devices(), "OpenVINO on this machine"));
  }
}

class OpenVinoModel final : public Model {
 public:
  OpenVinoModel(ov::Core& core, std::string file, std::shared_ptr<ov::Model> model, std::vector<Port> inputs,
                std::vector<Port> outputs)
      : core_(core),
        file_(std::move(file)),
        model_(std::move(model)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }

  Result<std::unique_ptr<Session>> compile(const Options& options) override {
    try {
      return compile_checked(options);
    } catch (...) {
      return tl::unexpected(explain_current(fmt::format("cannot compile {} for {}", file_, options.device)));
    }
  }

 private:
  Result<std::unique_ptr<Session>> compile_checked(const Options& options) {
    NEPH_CHECK(check_count("threads", options.threads));
    NEPH_CHECK(check_count("streams", options.streams));
    NEPH_TRY(const auto device, find_device(core_, options.device));
    NEPH_CHECK(check_precision(device, *model_, options.precision));
    const auto model =
        model_->clone();  // shares the weights; the model stays as it was read for the next batch
    NEPH_CHECK(set_batch(*model, options.batch));
    auto compiled = core_.compile_model(model, options.device, properties_of(options));
    auto facts = facts_of(compiled, device.name, device.description);
    return OpenVinoSession::make(std::move(compiled), std::move(facts));
  }

  ov::Core& core_;
  std::string file_;
  std::shared_ptr<ov::Model> model_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

class OpenVinoEngine final : public Engine {
 public:
  std::string name() const override { return "openvino"; }
  std::string version() const override { return openvino_version(); }

  std::vector<std::string> formats() const override {
    std::vector<std::string> suffixes;
    for (const auto& format : model_formats())
      if (!format.suffix.empty()) suffixes.push_back(format.suffix);
    return suffixes;
  }

  Result<std::vector<Device>> devices() override {
    try {
      return find_devices(core_);
    } catch (...) {
      return tl::unexpected(explain_current("OpenVINO cannot list its devices"));
    }
  }

  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path) override {
    NEPH_TRY(const auto format, recognise_model(path));
    const auto subject = "cannot load " + path.string();
    try {
      // Asked alone, before Core::read_model asks all readers there are.
      if (!ov::frontend::FrontEndManager().load_by_framework(format.reader)->supported(path.string()))
        return fail(ErrorCode::corrupt, "{} is not {} model", path.string(), format.title);
      auto model = core_.read_model(path);
      NEPH_TRY(auto inputs, ports_of(std::as_const(*model).inputs()));
      NEPH_TRY(auto outputs, ports_of(std::as_const(*model).outputs()));
      return std::make_unique<OpenVinoModel>(core_, path.string(), std::move(model), std::move(inputs),
                                             std::move(outputs));
    } catch (...) {
      return tl::unexpected(explain_current(subject));
    }
  }

 private:
  ov::Core core_;
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::OpenVinoEngine)
