// XGBoost's saved model, as far as its trees go.
#pragma once

#include <string_view>

#include "core/result.hpp"
#include "predict/trees.hpp"

namespace neph::predict {

/// The first `count` trees of a model that XGBoost saved as UBJSON (ubjson.org), in our order of nodes; their
/// LevelColumns are left to the caller. Errors: internal (it is no such model, or has fewer trees).
Result<Trees> read_saved_trees(std::string_view saved, std::size_t count);

}  // namespace neph::predict
