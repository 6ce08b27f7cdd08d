// The shapes of a model's inputs once a batch, or shapes by name, are chosen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"

namespace neph::engine {

/// Of each input: the shape that options.shapes has for it, else its own with options.batch in front; with
/// batch 0 dimensions may stay open. Errors: invalid_argument (a batch below 0, more than memory holds, a
/// shape of another rank or with a dimension below 0), not_found (no such input; the nearest one),
/// unsupported (another open dimension than the first).
Result<std::vector<std::vector<std::int64_t>>> input_shapes(const std::vector<Port>& inputs,
                                                            const Options& options);

/// Of a runtime that cannot change what a model's file fixes: whether the shapes do not ask for it. Errors:
/// unsupported, with what helps.
Status check_fixed_shapes(const std::vector<Port>& inputs,
                          const std::vector<std::vector<std::int64_t>>& shapes, const Options& options,
                          std::string_view runtime);

}  // namespace neph::engine
