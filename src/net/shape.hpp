// Arithmetic of shapes that survives hostile files: every product is checked, an unknown dimension (-1) stays
// unknown.
#pragma once

#include <optional>

#include "net/net.hpp"

namespace neph::net {

constexpr std::int64_t kUnknown = -1;
constexpr std::size_t kMostDimensions = 64;  ///< more than any engine takes; hostile files ask for millions

/// A tensor's shape, or nothing where not even its rank is known.
using MaybeShape = std::optional<Shape>;

/// Product of non-negative factors; error corrupt above 2^62, which no real tensor reaches.
Result<std::int64_t> checked_product(std::int64_t a, std::int64_t b);
Result<std::int64_t> checked_sum(std::int64_t a, std::int64_t b);

/// All dimensions known?
bool is_known(const MaybeShape& shape);

/// Number of elements of a shape whose dimensions are all known. Error: corrupt (too large to be real).
Result<std::int64_t> element_count(const Shape& shape);

/// Index of `axis`, which counts from the end when negative. Error: corrupt (outside of the rank).
Result<std::size_t> axis_index(std::int64_t axis, std::size_t rank);

/// The shape of elementwise arithmetic (ONNX "Broadcasting in ONNX", NumPy's rule). Error: corrupt (they do
/// not fit).
Result<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace neph::net
