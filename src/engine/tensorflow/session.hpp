// A loaded model with fixed or open shapes, and its requests. See model.hpp.
#pragma once

#include <functional>

#include "engine/engine.hpp"
#include "engine/tensorflow/graph.hpp"

namespace neph::engine::tensorflow_plugin {

struct Loaded {
  SharedSession session;
  std::vector<TF_Output> inputs, outputs;
};

/// `inputs` have the shapes that are wanted. Errors: those of `load`; unsupported (a model that fails at its
/// first run).
Result<std::unique_ptr<Session>> make_session(const Library& library, std::vector<Port> inputs,
                                              std::vector<Port> outputs, const Options& options,
                                              const std::function<Result<Loaded>(const ThreadCounts&)>& load);

}  // namespace neph::engine::tensorflow_plugin
