// A model that OpenVINO has read, and how it becomes a session.
#pragma once

#include <memory>
#include <openvino/core/model.hpp>
#include <openvino/runtime/core.hpp>
#include <string>

#include "engine/engine.hpp"
#include "engine/openvino/row_facts.hpp"

namespace neph::engine {

class OpenVinoModel final : public Model {
 public:
  /// `file` is for messages. Errors: unsupported (element types).
  static Result<std::unique_ptr<Model>> make(ov::Core& core, std::string file,
                                             std::shared_ptr<ov::Model> model);

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Session>> compile(const Options& options) override;
  RowFacts row_facts() const override { return row_facts_of(*model_); }

 private:
  OpenVinoModel(ov::Core& core, std::string file, std::shared_ptr<ov::Model> model)
      : core_(core), file_(std::move(file)), model_(std::move(model)) {}
  Result<std::unique_ptr<Session>> compile_checked(const Options& options);

  ov::Core& core_;
  std::string file_;
  std::shared_ptr<ov::Model> model_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

}  // namespace neph::engine
