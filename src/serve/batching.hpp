// Whether requests to a model may share executions. Only for files of this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "engine/engine.hpp"
#include "serve/instance.hpp"
#include "serve/options.hpp"

namespace neph::serve {

/// The sessions that a model is served with.
struct Plan {
  std::vector<SizedSession> sessions;  ///< ascending; of a model that is not batched one, of 1 row
  bool batched = false;
  std::string reason;  ///< why it is not batched
};

/// Compiles the model as `options` say. It is batched where the file leaves the first dimension of every
/// input and output open, fixes the others of the inputs, the graph shows no state and nothing that goes over
/// the batch, and rows are seen to get the same answers together and apart (engine::rows_that_differ; where
/// `options.batching` is on only state counts, and where the engine knows its models nothing is looked at).
/// Otherwise the model's own shapes stand, one request an execution. Errors: invalid_argument (sizes), and
/// the engine's.
Result<Plan> plan_sessions(engine::Model& model, const ModelOptions& options);

}  // namespace neph::serve
