#include "engine/input_shapes.hpp"

#include <algorithm>

#include "core/names.hpp"

namespace neph::engine {
namespace {

using Shape = std::vector<std::int64_t>;

bool is_open(const Shape& shape) {
  return std::ranges::any_of(shape, [](auto size) { return size < 0; });
}

Status check_names(const std::vector<Port>& inputs, const Options& options) {
  std::vector<std::string> known;
  for (const auto& input : inputs) known.push_back(input.name);
  for (const auto& [name, shape] : options.shapes)
    if (std::ranges::find(known, name) == known.end())
      return unknown_name(ErrorCode::not_found, "input", name, known, "the model");
  return {};
}

Result<Shape> as_given(const Port& input, const Shape& given) {
  if (is_open(given) || (!input.open_rank && given.size() != input.shape.size()))
    return fail(ErrorCode::invalid_argument, "shape {} does not fit input '{}' of shape {}",
                shape_text(given), input.name, shape_text(input.shape));
  return given;
}

Result<Shape> with_batch(const Port& input, std::int64_t batch) {
  auto shape = input.shape;
  if (batch == 0) return shape;
  if (!shape.empty()) shape[0] = batch;
  if (input.open_rank || is_open(shape))
    return fail(ErrorCode::unsupported,
                "input '{}' has the shape {}: only its first dimension may be open; say the others with "
                "--shape, or fix them in the model",
                input.name, input.open_rank ? "of any rank" : shape_text(input.shape));
  return shape;
}

double bytes_of(const Port& input, const Shape& shape) {
  if (is_open(shape)) return 0;
  auto bytes = static_cast<double>(element_bytes(input.element));
  for (const auto size : shape) bytes *= static_cast<double>(size);
  return bytes;
}

}  // namespace

Result<std::vector<Shape>> input_shapes(const std::vector<Port>& inputs, const Options& options) {
  if (options.batch < 0)
    return fail(ErrorCode::invalid_argument, "batch {}: it must be 0 or more", options.batch);
  NEPH_CHECK(check_names(inputs, options));
  std::vector<Shape> shapes;
  double bytes = 0;
  for (const auto& input : inputs) {
    const auto given = options.shapes.find(input.name);
    NEPH_TRY(auto shape, given != options.shapes.end() ? as_given(input, given->second)
                                                       : with_batch(input, options.batch));
    bytes += bytes_of(input, shape);
    shapes.push_back(std::move(shape));
  }
  NEPH_CHECK(check_memory(bytes, options.batch));
  return shapes;
}

Status check_fixed_shapes(const std::vector<Port>& inputs, const std::vector<Shape>& shapes,
                          const Options& options, std::string_view runtime) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto& [name, element, shape, open_rank] = inputs[k];
    for (std::size_t i = 0; i < shape.size() && !open_rank; ++i)
      if (shape[i] >= 0 && shapes[k][i] != shape[i])
        return fail(ErrorCode::unsupported,
                    "input '{}' has the shape {}, fixed in the file, and cannot be {} in {}; {}", name,
                    shape_text(shape), shape_text(shapes[k]), runtime,
                    i == 0 && options.shapes.empty()
                        ? fmt::format("use --batch {}, or export it with an open batch", shape[0])
                        : std::string("export the model with that dimension open"));
  }
  return {};
}

}  // namespace neph::engine
