#include "engine/onnxruntime/tensors.hpp"

#include <bit>
#include <cstring>

#include "core/random.hpp"
#include "engine/elements.hpp"
#include "engine/onnxruntime/ports.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

static_assert(std::endian::native == std::endian::little);

using Length = std::uint32_t;

}  // namespace

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

Ort::Value text_tensor(const std::vector<std::int64_t>& shape) {
  const Ort::AllocatorWithDefaultOptions allocator;
  return Ort::Value::CreateTensor(allocator, shape.data(), shape.size(),
                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
}

void fill_text(Ort::Value& tensor, const void* memory) {
  const auto count = tensor.GetTensorTypeAndShapeInfo().GetElementCount();
  const auto* at = static_cast<const char*>(memory);
  for (std::size_t i = 0; i < count; ++i) {
    Length length = 0;
    std::memcpy(&length, at, sizeof length);
    at += sizeof length;
    char* const to = tensor.GetResizedStringTensorElementBuffer(i, length);
    std::memcpy(to, at, length);
    at += length;
  }
}

void read_text(const Ort::Value& tensor, std::vector<std::byte>& memory) {
  const auto count = tensor.GetTensorTypeAndShapeInfo().GetElementCount();
  const auto bytes = tensor.GetStringTensorDataLength();
  std::vector<char> strings(bytes);
  std::vector<std::size_t> begins(count);
  if (count > 0) tensor.GetStringTensorContent(strings.data(), bytes, begins.data(), count);
  memory.resize(bytes + count * sizeof(Length));
  auto* to = memory.data();
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = static_cast<Length>((i + 1 < count ? begins[i + 1] : bytes) - begins[i]);
    std::memcpy(to, &length, sizeof length);
    if (length > 0) std::memcpy(to + sizeof length, strings.data() + begins[i], length);
    to += sizeof length + length;
  }
}

}  // namespace neph::engine::onnxruntime_plugin
