// Models of known behaviour: each answers with its input's bytes after a time that its file sets. What is
// left of a measurement is the cost of everything around the model (as with Triton's identity backend), and
// what a load generator must have seen can be computed.
#include "engine/engine.hpp"

#include "core/clock.hpp"
#include "engine/identity/model.hpp"

namespace neph::engine {
namespace {

class IdentityEngine final : public Engine {
 public:
  std::string name() const override { return "identity"; }
  std::string version() const override { return "1"; }
  std::vector<std::string> formats() const override { return {".identity"}; }
  Result<std::vector<Device>> devices() override {
    NEPH_TRY(const auto cpu, find_identity_device("CPU"));
    return std::vector{cpu};
  }

  Result<Device> device(const std::string& name) override { return find_identity_device(name); }

  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights) override {
    NEPH_TRY(auto model, IdentityModel::load(path, clock_));
    return model;
  }

 private:
  SteadyClock clock_;
};

}  // namespace
}  // namespace neph::engine

NEPH_EXPORT_ENGINE(neph::engine::IdentityEngine)
