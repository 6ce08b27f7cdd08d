#include "engine/engine.hpp"

#include <stdexcept>

#include "engine/tensorflow/library.hpp"
#include "engine/tensorflow/model.hpp"

namespace neph::engine {
namespace {

using tensorflow_plugin::Library;

class TensorFlowEngine final : public Engine {
 public:
  /// Throws where TensorFlow is missing; the registry adds how to install it.
  TensorFlowEngine() {
    auto opened = tensorflow_plugin::open_library();
    if (!opened) throw std::runtime_error(opened.error().message);
    library_ = std::move(*opened);
  }

  std::string name() const override { return "tensorflow"; }
  std::string version() const override { return library_.version; }
  std::vector<std::string> formats() const override { return {"saved_model.pb", ".pb"}; }
  Result<std::vector<Device>> devices() override {
    NEPH_TRY(auto cpu, device("CPU"));
    return std::vector{std::move(cpu)};
  }
  Result<Device> device(const std::string& name) override { return tensorflow_plugin::find_device(name); }

  /// TensorFlow reads variables into memory of its own, so that both kinds of Weights are the same.
  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights) override {
    return tensorflow_plugin::load_model(library_, path);
  }

 private:
  Library library_;
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::TensorFlowEngine)
