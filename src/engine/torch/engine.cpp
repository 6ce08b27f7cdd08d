#include "engine/engine.hpp"

#include "engine/torch/device.hpp"
#include "engine/torch/model.hpp"

namespace neph::engine {
namespace {

class TorchEngine final : public Engine {
 public:
  /// Without libtorch all but its name fails, with how to get one.
  TorchEngine() { library_ = torch_plugin::open_library(); }

  std::string name() const override { return "torch"; }
  std::string version() const override { return library_ ? library_->version : ""; }
  std::vector<std::string> formats() const override { return {".pt2"}; }
  Result<std::vector<Device>> devices() override {
    NEPH_CHECK(library_);
    std::vector<Device> devices;
    for (auto& place : torch_plugin::find_places(*library_)) devices.push_back(std::move(place.device));
    return devices;
  }
  Result<Device> device(const std::string& name) override {
    NEPH_CHECK(library_);
    NEPH_TRY(auto place, torch_plugin::find_place(*library_, name));
    return std::move(place.device);
  }
  /// A package is unpacked into files of the model's own, so that both kinds of Weights are the same.
  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights) override {
    NEPH_CHECK(library_);
    return torch_plugin::load_model(*library_, path);
  }

 private:
  Result<torch_plugin::Library> library_;
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::TorchEngine)
