#include "net/shape.hpp"

#include <algorithm>

#include <fmt/ranges.h>

namespace neph::net {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text;
  for (const auto dimension : shape) {
    if (!text.empty()) text += 'x';
    text += dimension == kUnknown ? "?" : std::to_string(dimension);
  }
  return text.empty() ? "scalar" : text;
}

Result<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) || product > kLargest)
    return fail(ErrorCode::corrupt, "{} x {} is no size that a real tensor has", a, b);
  return product;
}

Result<std::int64_t> checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) || sum > kLargest)
    return fail(ErrorCode::corrupt, "{} + {} is no size that a real tensor has", a, b);
  return sum;
}

bool is_known(const MaybeShape& shape) {
  return shape && std::none_of(shape->begin(), shape->end(), [](auto d) { return d == kUnknown; });
}

Result<std::int64_t> element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto dimension : shape) {
    NEPH_TRY(count, checked_product(count, dimension));
  }
  return count;
}

Result<std::size_t> axis_index(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size)
    return fail(ErrorCode::corrupt, "axis {} is outside of a tensor with {} dimensions", axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    auto& left = result[offset + i];
    const auto right = shorter[i];
    if (left == right || right == 1) continue;
    if (left == 1 || left == kUnknown) {
      left = right;  // an unknown dimension against a known one larger than 1 can only be that one, or 1
    } else if (right != kUnknown) {
      return fail(ErrorCode::corrupt, "{} and {} cannot be combined element by element", to_string(a),
                  to_string(b));
    }
  }
  return result;
}

}  // namespace neph::net
