// The shapes of a model's inputs once a batch, or shapes by name, are chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.hpp"

namespace neph::engine {

/// Of each input: the shape that options.shapes has for it, else its own with options.batch in front; with
/// batch 0 dimensions may stay open. Errors: invalid_argument (a batch below 0, more than memory holds, a
/// shape of another rank or with a dimension below 0), not_found (no such input; the nearest one),
/// unsupported (another open dimension than the first).
Result<std::vector<std::vector<std::int64_t>>> input_shapes(const std::vector<Port>& inputs,
                                                            const Options& options);

}  // namespace neph::engine
