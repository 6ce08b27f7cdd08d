// Lists of shapes: "input_ids:1x128,8x128" names its input once.
#pragma once

#include "core/json.hpp"

namespace neph::workload {

/// In the field "shape": a shape without a name that follows one with a single name is of that input.
inline Json with_shape_names(Json fields) {
  const auto shapes = fields.is_object() ? fields.find("shape") : fields.end();
  if (shapes == fields.end() || !shapes->is_array()) return fields;
  std::string name;
  for (auto& shape : *shapes) {
    if (!shape.is_string()) continue;
    const auto text = shape.get<std::string>();
    if (const auto colon = text.rfind(':'); colon != text.npos)
      name = text.find('+') == text.npos ? text.substr(0, colon + 1) : "";
    else
      shape = name + text;
  }
  return fields;
}

}  // namespace neph::workload
