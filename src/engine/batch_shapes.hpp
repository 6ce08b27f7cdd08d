// The shapes of a model's inputs once a batch is chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.hpp"

namespace neph::engine {

/// The inputs' shapes with the batch in front; with batch 0 dimensions may stay open. Errors:
/// invalid_argument (below 0, more than memory holds), unsupported (another open dimension than the first).
Result<std::vector<std::vector<std::int64_t>>> shapes_with_batch(const std::vector<Port>& inputs,
                                                                 std::int64_t batch);

}  // namespace neph::engine
