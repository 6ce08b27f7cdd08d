#include "engine/engine.hpp"

#include <optional>

#include "engine/torch/threads.hpp"
#include "engine/torch/trainer.hpp"

namespace neph::engine {
namespace {

class TorchEngine final : public TrainEngine {
 public:
  std::string name() const override { return "torch"; }

  std::string version() const override {
    const auto found = library();
    return found ? (*found)->version : std::string{};
  }
  std::string runtime() const override {
    const auto found = library();
    return found ? (*found)->folder.string() : std::string{};
  }

  Result<std::vector<Device>> devices() override {
    NEPH_TRY(const auto* const found, library());
    std::vector<Device> devices;
    for (auto& place : torch_plugin::find_places(*found)) devices.push_back(std::move(place.device));
    return devices;
  }

  Result<std::unique_ptr<Trainer>> prepare(const net::Program& program,
                                           const TrainOptions& options) override {
    NEPH_TRY(const auto* const found, library());
    return torch_plugin::make_trainer(*found, program, options);
  }

 private:
  /// libtorch, opened when it is first asked for.
  Result<const torch_plugin::Library*> library() const {
    if (!library_) {
      torch_plugin::keep_memory();
      library_ = torch_plugin::open_library();
    }
    if (!*library_) return tl::unexpected(library_->error());
    return &**library_;
  }

  mutable std::optional<Result<torch_plugin::Library>> library_;  ///< empty: not looked for yet
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_TRAIN_ENGINE(neph::engine::TorchEngine)
