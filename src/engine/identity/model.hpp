// A model of known behaviour, as its file says, and how it becomes a session.
#pragma once

#include <filesystem>
#include <memory>

#include "core/clock.hpp"
#include "engine/engine.hpp"
#include "engine/identity/model_file.hpp"

namespace neph::engine {

class IdentityModel final : public Model {
 public:
  /// Its stalls count from now. `clock` outlives the model. Errors: those of read_identity_file.
  static Result<std::unique_ptr<IdentityModel>> load(const std::filesystem::path& path, const Clock& clock);

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Session>> compile(const Options& options) override;
  bool rows_are_independent() const override { return true; }

 private:
  IdentityModel(std::string path, IdentityFile file, const Clock& clock);

  std::string path_;
  IdentityFile file_;
  const Clock& clock_;
  Moment loaded_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

/// The one device, "CPU": any precision is its own, as it has no arithmetic. Errors: not_found.
Result<Device> find_identity_device(const std::string& name);

}  // namespace neph::engine
