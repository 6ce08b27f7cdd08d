// Tensors of numbers on memory of a port, for ONNX Runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

using Shape = std::vector<std::int64_t>;

/// On the caller's memory, which stays its. Throws Ort::Exception.
Ort::Value tensor(const Ort::MemoryInfo& memory, void* data, const Port& port, const Shape& shape);

/// Of a trial. noise: floats from 0 to 1, integers 0 and 1; the same each time.
enum class Numbers { zeros, ones, noise };
void fill(std::vector<std::byte>& memory, Element element, Numbers numbers);

/// Of a tensor of the port in that shape.
std::size_t bytes_of(const Port& port, const Shape& shape);

/// An empty tensor for strings; fill_text() gives it its own. Throws Ort::Exception.
Ort::Value text_tensor(const std::vector<std::int64_t>& shape);

/// Copies as many strings out of `memory` as the tensor has, which must be there. Throws Ort::Exception.
void fill_text(Ort::Value& tensor, const void* memory);

/// The tensor's strings, into `memory`, which becomes as large. Throws Ort::Exception.
void read_text(const Ort::Value& tensor, std::vector<std::byte>& memory);

}  // namespace neph::engine::onnxruntime_plugin
