#include "engine/onnxruntime/tensors.hpp"

#include "core/random.hpp"
#include "engine/elements.hpp"
#include "engine/onnxruntime/ports.hpp"

namespace neph::engine::onnxruntime_plugin {

Ort::Value tensor(const Ort::MemoryInfo& memory, void* data, const Port& port, const Shape& shape) {
  std::size_t bytes = element_bytes(port.element);
  for (const auto size : shape) bytes *= static_cast<std::size_t>(size);
  return Ort::Value::CreateTensor(memory, data, bytes, shape.data(), shape.size(), type_of(port.element));
}

void fill(std::vector<std::byte>& memory, Element element, Numbers numbers) {
  Random random(1);
  const auto number = [&]() -> double {
    if (numbers != Numbers::noise) return numbers == Numbers::ones ? 1 : 0;
    return is_float(element) ? random.uniform() : static_cast<double>(random.below(2));
  };
  const auto count = memory.size() / element_bytes(element);
  for (std::size_t i = 0; i < count; ++i) set_element(element, memory.data(), i, number());
}

std::size_t bytes_of(const Port& port, const Shape& shape) {
  auto sized = port;
  sized.shape = shape;
  sized.open_rank = false;
  return sized.bytes();
}

}  // namespace neph::engine::onnxruntime_plugin
