// Whether requests to a model may share executions. Only for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// A compiled batch size and the time of one execution.
struct SizeCost {
  std::int64_t rows = 1;
  double seconds = 0;
};

struct BatchPlan {
  std::size_t requests = 0;  ///< from the front of the queue; 0: wait for more
  std::size_t size = 0;      ///< index into the sizes: the smallest that holds them
};

/// Takes the front of the queue, in order, that costs the least time per row, and the longer of two that
/// cost the same. A request is never split; each has at most as many rows as the largest size. Nothing is
/// taken while waiting may still pay: nobody is in a hurry (`may_wait`), and a size that the queue does not
/// fill yet costs less per row. `queue` holds the rows of each request, first come first; neither it nor
/// `sizes`, which ascend, is empty.
BatchPlan plan_batch(std::span<const std::int64_t> queue, std::span<const SizeCost> sizes, bool may_wait);

/// Index of the smallest size that holds so many rows; as many as there are: none.
std::size_t smallest_holding(std::span<const SizeCost> sizes, std::int64_t rows);

}  // namespace neph::serve
