#include "engine/engine.hpp"

#include "engine/torch/model.hpp"
#include "engine/torch/threads.hpp"
#include "engine/torch/trainer.hpp"

namespace neph::engine {
namespace {

/// libtorch, opened when it is first asked for; both engines have the same.
Result<const torch_plugin::Library*> library() {
  static const auto opened = [] {
    torch_plugin::keep_memory();
    torch_plugin::wait_briefly();
    return torch_plugin::open_library();
  }();
  if (!opened) return tl::unexpected(opened.error());
  return &*opened;
}

std::string version_of_library() {
  const auto found = library();
  return found ? (*found)->version : std::string{};
}

Result<std::vector<Device>> devices_of_library() {
  NEPH_TRY(const auto* const found, library());
  std::vector<Device> devices;
  for (auto& place : torch_plugin::find_places(*found)) devices.push_back(std::move(place.device));
  return devices;
}

Result<Device> device_of_library(const std::string& name) {
  NEPH_TRY(const auto* const found, library());
  NEPH_TRY(auto place, torch_plugin::find_place(*found, name));
  return std::move(place.device);
}

class TorchEngine final : public Engine {
 public:
  std::string name() const override { return "torch"; }
  std::string version() const override { return version_of_library(); }
  std::vector<std::string> formats() const override { return {".onnx"}; }
  Result<std::vector<Device>> devices() override { return devices_of_library(); }

  Result<Device> device(const std::string& name) override { return device_of_library(name); }

  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights) override {
    NEPH_TRY(const auto* const found, library());
    return torch_plugin::load_model(*found, path);
  }
};

class TorchTrainEngine final : public TrainEngine {
 public:
  std::string name() const override { return "torch"; }
  std::string version() const override { return version_of_library(); }
  std::string runtime() const override {
    const auto found = library();
    return found ? (*found)->folder.string() : std::string{};
  }
  Result<std::vector<Device>> devices() override { return devices_of_library(); }
  Result<Device> device(const std::string& name) override { return device_of_library(name); }

  Result<std::unique_ptr<Trainer>> prepare(const net::Program& program,
                                           const TrainOptions& options) override {
    NEPH_TRY(const auto* const found, library());
    return torch_plugin::make_trainer(*found, program, options);
  }
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::TorchEngine)
NEPH_EXPORT_TRAIN_ENGINE(neph::engine::TorchTrainEngine)
