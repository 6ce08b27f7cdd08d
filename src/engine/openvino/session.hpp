// A model compiled by OpenVINO, and its requests.
#pragma once

#include <openvino/runtime/compiled_model.hpp>

#include "engine/engine.hpp"
#include "engine/openvino/layer_times.hpp"

namespace neph::engine {

class OpenVinoSession final : public Session {
 public:
  /// `model` is what was compiled: a compiled one need not keep the names. Errors: unsupported (element
  /// types).
  static Result<std::unique_ptr<Session>> make(const ov::Model& model, ov::CompiledModel compiled,
                                               Facts facts);

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return optimal_requests_; }
  const Facts& facts() const override { return facts_; }
  Result<std::vector<LayerTime>> layers() override;

 private:
  OpenVinoSession() = default;

  ov::CompiledModel compiled_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::vector<bool> handed_on_;       ///< by output: whether it is an input as it came
  bool may_leave_unwritten_ = false;  ///< an inference may end without having written all of its outputs
  std::int64_t optimal_requests_ = 1;
  Facts facts_;
  std::unique_ptr<LayerCounters> counters_;  ///< null: not profiled
};

}  // namespace neph::engine
