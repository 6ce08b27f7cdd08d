// Shapes of a model's inputs as people write them on a command line: "input_ids:1x128+mask:1x128".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace neph {

/// Of each input by its name; the name is empty for the only input of a model.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

/// Inputs are joined by "+". A name may hold ":" itself: the shape stands behind the last one. "1x128" is the
/// model's only input; "NAME:scalar" has no dimensions. Errors: invalid_argument (no such form, a dimension
/// that is no number from 0, an input twice, one without a name among several).
Result<InputShapes> parse_shapes(std::string_view text);

/// What parse_shapes() reads as the same.
std::string shapes_text(const InputShapes& shapes);

/// Gives the shape without a name that of the model's only input. Errors: invalid_argument (the model has
/// none or several), not_found (a name that none of the inputs has; the nearest one).
Result<InputShapes> named_shapes(InputShapes shapes, const std::vector<std::string>& inputs);

/// Of inputs that are not given and have an open dimension (-1), those that the model (`own`) leaves open in
/// the same places as one that is given: they are given the same. Masks go with their tokens.
InputShapes with_like_ones(InputShapes given, const InputShapes& own);

}  // namespace neph
