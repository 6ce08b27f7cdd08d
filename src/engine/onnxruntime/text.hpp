// Tensors of text between ONNX Runtime's strings and the memory of a port: each string with its length before
// it, four bytes, little-endian (Element::text).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

/// An empty tensor for strings; fill_text() gives it its own. Throws Ort::Exception.
Ort::Value text_tensor(const std::vector<std::int64_t>& shape);

/// Copies as many strings out of `memory` as the tensor has, which must be there. Throws Ort::Exception.
void fill_text(Ort::Value& tensor, const void* memory);

/// The tensor's strings, into `memory`, which becomes as large. Throws Ort::Exception.
void read_text(const Ort::Value& tensor, std::vector<std::byte>& memory);

}  // namespace neph::engine::onnxruntime_plugin
