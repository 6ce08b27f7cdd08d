#include "engine/batch_shapes.hpp"

#include <algorithm>

namespace neph::engine {

Result<std::vector<std::vector<std::int64_t>>> shapes_with_batch(const std::vector<Port>& inputs,
                                                                 std::int64_t batch) {
  if (batch < 0) return fail(ErrorCode::invalid_argument, "batch {}: it must be 0 or more", batch);
  std::vector<std::vector<std::int64_t>> shapes;
  double bytes = 0;
  for (const auto& input : inputs) {
    auto shape = input.shape;
    if (batch > 0 && !shape.empty()) shape[0] = batch;
    const bool is_open = std::ranges::any_of(shape, [](auto size) { return size < 0; });
    if (is_open && batch > 0)
      return fail(ErrorCode::unsupported,
                  "input '{}' has the shape {}: only its first dimension may be open; fix the others in the "
                  "model",
                  input.name, shape_text(input.shape));
    double each = is_open ? 0 : static_cast<double>(element_bytes(input.element));
    for (const auto size : shape) each *= static_cast<double>(size);
    bytes += each;
    shapes.push_back(std::move(shape));
  }
  NEPH_CHECK(check_memory(bytes, batch));
  return shapes;
}

}  // namespace neph::engine
