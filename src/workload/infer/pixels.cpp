#include "workload/infer/pixels.hpp"

#include <algorithm>
#include <cmath>

#include "engine/elements.hpp"

namespace neph::workload {
namespace {

using engine::Element;

template <class T>
void round_to(std::span<const float> pixels, void* to) {
  std::transform(pixels.begin(), pixels.end(), static_cast<T*>(to), [](float pixel) {
    return static_cast<T>(std::clamp(std::nearbyintf(pixel),
                                     static_cast<float>(std::numeric_limits<T>::min()),
                                     static_cast<float>(std::numeric_limits<T>::max())));
  });
}

}  // namespace

Result<image::Transform> transform_for(const InputPlan& plan) {
  if (plan.inputs.size() != 1)
    return fail(ErrorCode::unsupported,
                "the model has {} inputs, and images go into one; give it --inputs FILE", plan.inputs.size());
  const auto& input = plan.inputs.front();
  if (plan.item != Item::image)
    return fail(
        ErrorCode::unsupported,
        "the model's input '{}' is {} {}; images need [n, channels, height, width] or [n, height, width, "
        "channels] with 1 or 3 channels; leave --images out for generated inputs, or give --inputs FILE",
        input.name, enum_name(input.element), engine::shape_text(input.shape));
  const auto& shape = input.shape;
  const bool is_last = input.channels_last();
  NEPH_TRY(auto transform, is_last ? image::transform_for_input(shape[3], shape[1], shape[2], true)
                                   : image::transform_for_input(shape[1], shape[2], shape[3]));
  if (engine::is_float(input.element)) return transform;
  const double levels = input.element == Element::u8 ? 255 : 127;
  transform.mean.assign(transform.mean.size(), 0.0);
  transform.deviation.assign(transform.deviation.size(), 1 / levels);
  return transform;
}

void convert_pixels(std::span<const float> pixels, Element element, void* to) {
  if (element == Element::u8) return round_to<std::uint8_t>(pixels, to);
  if (element == Element::i8) return round_to<std::int8_t>(pixels, to);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    engine::set_element(element, to, i, static_cast<double>(pixels[i]));
}

}  // namespace neph::workload
