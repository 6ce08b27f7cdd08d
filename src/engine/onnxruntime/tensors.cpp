#include "engine/onnxruntime/tensors.hpp"

#include <cstring>

#include "engine/onnxruntime/ports.hpp"

namespace neph::engine::onnxruntime_plugin {

Ort::Value tensor(const Ort::MemoryInfo& memory, void* data, const Port& port, const Shape& shape) {
  std::size_t bytes = element_bytes(port.element);
  for (const auto size : shape) bytes *= static_cast<std::size_t>(size);
  return Ort::Value::CreateTensor(memory, data, bytes, shape.data(), shape.size(), type_of(port.element));
}

void fill_with_ones(std::vector<std::byte>& memory, Element element) {
  const auto width = element_bytes(element);
  constexpr float one = 1;
  constexpr double one_of_double = 1;
  for (std::size_t at = 0; at + width <= memory.size(); at += width) {
    if (element == Element::f32)
      std::memcpy(&memory[at], &one, sizeof one);
    else if (element == Element::f64)
      std::memcpy(&memory[at], &one_of_double, sizeof one_of_double);
    else
      memory[at] = std::byte{1};
  }
}

std::size_t bytes_of(const Port& port, const Shape& shape) {
  auto sized = port;
  sized.shape = shape;
  sized.open_rank = false;
  return sized.bytes();
}

}  // namespace neph::engine::onnxruntime_plugin
