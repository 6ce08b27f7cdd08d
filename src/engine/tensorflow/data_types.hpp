// TensorFlow's numbers of element types.
#pragma once

#include <optional>

#include "engine/engine.hpp"
#include "engine/tensorflow/c_api.hpp"

namespace neph::engine::tensorflow_plugin {

/// Empty: strings, complex and quantized numbers, resources.
std::optional<Element> element_of(DataType type);
DataType type_of(Element element);

}  // namespace neph::engine::tensorflow_plugin
