#include <algorithm>

#include <fmt/ranges.h>

#include "engine/engine.hpp"

namespace neph::engine {

std::size_t element_bytes(Element element) {
  switch (element) {
    case Element::u8:
    case Element::i8:
    case Element::boolean:
      return 1;
    case Element::f16:
    case Element::bf16:
    case Element::i16:
    case Element::u16:
      return 2;
    case Element::f32:
    case Element::i32:
    case Element::u32:
      return 4;
    case Element::f64:
    case Element::i64:
    case Element::u64:
      return 8;
    case Element::text:
      break;
  }
  return 0;
}

bool is_float(Element element) {
  return element == Element::f32 || element == Element::f64 || element == Element::f16 ||
         element == Element::bf16;
}

bool Port::is_open() const {
  return open_rank || element == Element::text ||
         std::any_of(shape.begin(), shape.end(), [](auto dimension) { return dimension < 0; });
}

std::size_t Port::bytes() const {
  if (is_open()) return 0;
  std::size_t count = 1;
  for (const auto dimension : shape) count *= static_cast<std::size_t>(dimension);
  return count * element_bytes(element);
}

Result<PictureShape> picture_input(const std::vector<Port>& inputs) {
  if (inputs.size() != 1)
    return fail(ErrorCode::unsupported, "the model has {} inputs; images need a model with one",
                inputs.size());
  const auto& input = inputs.front();
  const auto& shape = input.shape;
  if (input.element != Element::f32)
    return fail(ErrorCode::unsupported, "the model's input '{}' is {}; images are f32", input.name,
                enum_name(input.element));
  if (shape.size() != 4)
    return fail(ErrorCode::unsupported,
                "the model's input '{}' has rank {}; images need [n, channels, height, width]", input.name,
                shape.size());
  if (std::any_of(shape.begin() + 1, shape.end(), [](auto size) { return size < 1; }))
    return fail(
        ErrorCode::unsupported,
        "the model's input '{}' has the shape [{}]; images need its channels and sides fixed when the "
        "model is exported",
        input.name, fmt::join(shape, ", "));
  if (input.channels_last()) return PictureShape{shape[3], shape[1], shape[2], true};
  return PictureShape{shape[1], shape[2], shape[3]};
}

bool Port::channels_last() const {
  const auto is_channels = [](std::int64_t dimension) { return dimension == 1 || dimension == 3; };
  return shape.size() == 4 && is_channels(shape[3]) && !is_channels(shape[1]);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const auto dimension : shape) {
    if (!text.empty()) text += ", ";
    text += dimension < 0 ? std::string("?") : std::to_string(dimension);
  }
  return "[" + text + "]";
}

}  // namespace neph::engine
