#include "engine/engine.hpp"

#include <openvino/frontend/manager.hpp>
#include <openvino/runtime/core.hpp>

#include "engine/openvino/amx.hpp"
#include "engine/openvino/device.hpp"
#include "engine/openvino/error_text.hpp"
#include "engine/openvino/facts.hpp"
#include "engine/openvino/model.hpp"
#include "engine/openvino/model_file.hpp"

namespace neph::engine {
namespace {

/// The error of the exception in flight. Of an OpenVINO model's two files its messages name neither.
Error explain_load(const std::filesystem::path& path) {
  auto error = explain_current("cannot load " + path.string());
  if (path.extension() != ".xml" || error.message.find("bin file") == std::string::npos) return error;
  const auto weights = std::filesystem::path(path).replace_extension(".bin");
  std::error_code unreadable;
  if (!std::filesystem::exists(weights, unreadable))
    return {ErrorCode::not_found,
            fmt::format("cannot load {}: its weights, {}, are missing", path.string(), weights.string())};
  return {ErrorCode::corrupt,
          fmt::format("cannot load {}: its weights, {}, are cut short or those of another model",
                      path.string(), weights.string())};
}

class OpenVinoEngine final : public Engine {
 public:
  OpenVinoEngine() { avoid_amx_without_palette(); }

  std::string name() const override { return "openvino"; }
  std::string version() const override { return openvino_version(); }

  std::vector<std::string> formats() const override {
    std::vector<std::string> suffixes;
    for (const auto& format : model_formats())
      suffixes.push_back(format.suffix.empty() ? "saved_model.pb" : format.suffix);
    return suffixes;
  }

  Result<std::vector<Device>> devices() override {
    try {
      return find_devices(core_);
    } catch (...) {
      return tl::unexpected(explain_current("OpenVINO cannot list its devices"));
    }
  }

  Result<Device> device(const std::string& name) override { return find_device(core_, name); }

  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights weights) override {
    NEPH_TRY(const auto format, recognise_model(path));
    try {
      // Asked alone, before Core::read_model asks all readers there are.
      if (!readers_.load_by_framework(format.reader)->supported(path.string()))
        return fail(ErrorCode::corrupt, "{} is not {} model", path.string(), format.title);
      return OpenVinoModel::make(core_, path.string(),
                                 core_.read_model(path, {}, {ov::enable_mmap(weights == Weights::mapped)}));
    } catch (...) {
      return tl::unexpected(explain_load(path));
    }
  }

 private:
  ov::frontend::FrontEndManager
      readers_;  ///< kept: without it each load would open its reader's library anew
  ov::Core core_;
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::OpenVinoEngine)
