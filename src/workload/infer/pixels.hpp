// Pixels as other elements than the floats that they are made as.
#pragma once

#include <span>

#include "engine/engine.hpp"
#include "image/image.hpp"
#include "workload/infer/input_plan.hpp"

namespace neph::workload {

/// Of a model that takes images: its input. Of bytes the levels 0 to 255 go in as they are, of signed ones
/// half of them. Errors: unsupported (not one input, no images).
Result<image::Transform> transform_for(const InputPlan& plan);

/// As many elements as there are pixels; bytes are rounded to whole levels.
void convert_pixels(std::span<const float> pixels, engine::Element element, void* to);

}  // namespace neph::workload
