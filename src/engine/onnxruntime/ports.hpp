// What a model says of its inputs and outputs.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

struct Ports {
  std::vector<Port> ports;
  std::vector<std::vector<std::string>> symbols;  ///< names of open dimensions, by port; empty: no name
};

/// Errors: unsupported (sequences, maps, other types than Element has). Throws Ort::Exception.
Result<Ports> inputs_of(const Ort::Session& session);
Result<Ports> outputs_of(const Ort::Session& session);

/// ONNX's number of an element's type.
ONNXTensorElementDataType type_of(Element element);

}  // namespace neph::engine::onnxruntime_plugin
