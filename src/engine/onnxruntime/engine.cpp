#include "engine/engine.hpp"

#include "engine/onnxruntime/device.hpp"
#include "engine/onnxruntime/library.hpp"
#include "engine/onnxruntime/model.hpp"

namespace neph::engine {
namespace {

using onnxruntime_plugin::Library;

class OrtEngine final : public Engine {
 public:
  /// Throws where there is no ONNX Runtime, which is how a plugin says that it does not start.
  OrtEngine() {
    auto opened = onnxruntime_plugin::open_library();
    if (!opened) throw std::runtime_error(opened.error().message);
    library_ = std::move(*opened);
  }

  std::string name() const override { return "onnxruntime"; }
  std::string version() const override { return library_.version; }
  std::vector<std::string> formats() const override { return {".onnx", ".ort"}; }

  Result<std::vector<Device>> devices() override {
    std::vector<Device> devices;
    for (auto& place : onnxruntime_plugin::find_places(library_)) devices.push_back(std::move(place.device));
    return devices;
  }

  Result<Device> device(const std::string& name) override {
    NEPH_TRY(auto place, onnxruntime_plugin::find_place(library_, name));
    return std::move(place.device);
  }

  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights weights) override {
    return onnxruntime_plugin::load_model(library_, path, weights);
  }

 private:
  Library library_;
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::OrtEngine)
